import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Unowned } from '../access/owned.decorator.js';
import { ModelListService, type ModelList } from './model-list-service.js';

@ApiTags('models')
@Controller('api/harness/models')
export class ModelController {
  constructor(private readonly models: ModelListService) {}

  @Get()
  @Unowned('models are the provider’s')
  @ApiOperation({
    operationId: 'listModels',
    summary: 'Models that turns may name, and the one of turns that name none',
  })
  @ApiOkResponse({
    description:
      '`{defaultModel, provider (anthropic, rehearsal), models}`: each with id, name, lifecycle (active, deprecated), retiresAt?, contextWindow and maxOutput (tokens), thinking {kinds, byDefault (always, on, off)}, effort {levels, default?}, seesImages, readsPdfs and price? (US dollars for a million tokens: input, output, cacheWrite5m?, cacheWrite1h?, cacheRead?, longPrompt?).',
  })
  list(): Promise<ModelList> {
    return this.models.list();
  }
}
