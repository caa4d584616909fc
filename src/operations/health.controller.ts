import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Open } from '../access/owned.decorator.js';
import { HealthService } from './health-service.js';
import { HealthDto, LivenessDto, ReadinessDto } from './health.dto.js';

/** Applies to all routes here: they show no one's data. */
const isForProbes = 'what watches the process has no key';

const answersSoon = 'Answers within 100 ms.';

@ApiTags('ops')
@Controller()
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Get('live')
  @Open(isForProbes)
  @ApiOperation({
    operationId: 'getLiveness',
    security: [],
    summary: 'Whether the process answers at all',
  })
  @ApiOkResponse({
    type: LivenessDto,
    description:
      'A restart would help where this does not come. It asks nothing of the database, of Redis or of the provider.',
  })
  live(): LivenessDto {
    return { live: true };
  }

  @Get('health')
  @Open(isForProbes)
  @ApiOperation({
    operationId: 'getHealth',
    security: [],
    summary: 'Whether the process can do its work',
  })
  @ApiOkResponse({ type: HealthDto, description: answersSoon })
  @ApiResponse({ status: 503, type: HealthDto, description: 'The status is `unhealthy`.' })
  async alive(@Res({ passthrough: true }) response: Response): Promise<HealthDto> {
    return answer(response, await this.health.health());
  }

  @Get('health/agent')
  @Open(isForProbes)
  @ApiOperation({
    operationId: 'getAgentHealth',
    security: [],
    summary: 'Whether the agent of sessions that name none could answer',
  })
  @ApiOkResponse({ type: HealthDto, description: answersSoon })
  @ApiResponse({ status: 503, type: HealthDto, description: 'The status is `unhealthy`.' })
  async agent(@Res({ passthrough: true }) response: Response): Promise<HealthDto> {
    return answer(response, await this.health.agentHealth());
  }

  @Get('ready')
  @Open(isForProbes)
  @ApiOperation({
    operationId: 'getReadiness',
    security: [],
    summary:
      'Whether turns would be taken: database, queue, log and disk take a write, and there is a model',
  })
  @ApiOkResponse({ type: ReadinessDto, description: 'Each check is `ok`.' })
  @ApiResponse({ status: 503, type: ReadinessDto, description: '`checks` names the faults.' })
  async ready(@Res({ passthrough: true }) response: Response): Promise<ReadinessDto> {
    const readiness = await this.health.readiness();
    response.status(readiness.ready ? 200 : 503);
    return readiness;
  }
}

function answer(response: Response, health: HealthDto): HealthDto {
  response.status(health.status === 'healthy' ? 200 : 503);
  return health;
}
