import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Unowned } from '../access/owned.decorator.js';
import { ModelListDto } from './model-list.dto.js';
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
  @ApiOkResponse({ type: ModelListDto })
  list(): Promise<ModelList> {
    return this.models.list();
  }
}
