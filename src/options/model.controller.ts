import { Controller, Get, Inject } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { HarmlessForPages, Unowned } from '../access/owned.decorator.js';
import { ModelCatalogue } from '../provider/model-catalogue.js';
import { sentName } from '../provider/model-resolver.js';
import { PROVIDER_MODE, type ProviderMode } from '../provider/provider-config.js';
import { ModelListDto, viewModel } from './model-list.dto.js';
import { OptionLoader } from './option-loader.js';

@ApiTags('models')
@Controller('api/harness/models')
export class ModelController {
  constructor(
    private readonly catalogue: ModelCatalogue,
    private readonly options: OptionLoader,
    @Inject(PROVIDER_MODE) private readonly mode: ProviderMode,
  ) {}

  /** Models that turns may name, and the one of turns that name none */
  @Get()
  @HarmlessForPages('models are the provider’s')
  @Unowned('models are the provider’s')
  async listModels(): Promise<ModelListDto> {
    const standard = await this.options.standardModel();
    return {
      defaultModel: sentName(standard, standard).name,
      provider: this.mode,
      // The best known model of each family first; retired models are left out.
      models: this.catalogue.list().map(viewModel),
    };
  }
}
