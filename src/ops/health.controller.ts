import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { HealthService } from './health-service.js';
import type { Readiness } from './readiness.js';

@ApiTags('ops')
@Controller()
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Get('health')
  @ApiOperation({ summary: 'Whether the process answers' })
  alive(): { status: 'healthy'; uptimeSeconds: number } {
    return { status: 'healthy', uptimeSeconds: Math.floor(process.uptime()) };
  }

  @Get('ready')
  @ApiOperation({ summary: 'Whether database, queue and log answer' })
  @ApiOkResponse({ description: '`{ready, checks}`: each check is `ok`.' })
  @ApiResponse({ status: 503, description: 'Not ready; `checks` says what does not answer.' })
  async ready(@Res({ passthrough: true }) response: Response): Promise<Readiness> {
    const readiness = await this.health.readiness();
    response.status(readiness.ready ? 200 : 503);
    return readiness;
  }
}
