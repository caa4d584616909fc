import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { KeysNeedScope, Unowned } from '../access/owned.decorator.js';
import { MetricsService } from './metrics-service.js';

@ApiTags('ops')
@Controller('metrics')
@KeysNeedScope('metrics')
export class MetricsController {
  constructor(private readonly metrics: MetricsService) {}

  /** The metrics of this process, for Prometheus */
  @Get()
  @Unowned('the metrics are of the process and its deployment, without ids')
  @ApiOkResponse({
    description: 'The text format of Prometheus, version 0.0.4.',
    content: { 'text/plain': { schema: { type: 'string' } } },
  })
  async getMetrics(@Res({ passthrough: true }) response: Response): Promise<string> {
    const text = await this.metrics.text();
    response.type(this.metrics.type);
    return text;
  }
}
