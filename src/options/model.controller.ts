import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Unowned } from '../access/owned.decorator.js';
import { ModelListDto } from './model-list.dto.js';
import { ModelListService, type ModelList } from './model-list-service.js';

@ApiTags('models')
@Controller('api/harness/models')
export class ModelController {
  constructor(private readonly models: ModelListService) {}

  /** Models that turns may name, and the one of turns that name none */
  @Get()
  @Unowned('models are the provider’s')
  @ApiOkResponse({ type: ModelListDto })
  listModels(): Promise<ModelList> {
    return this.models.list();
  }
}
