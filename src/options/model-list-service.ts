import { Inject, Injectable } from '@nestjs/common';
import { PROVIDER_MODE, type ProviderMode } from '../provider/provider-config.js';
import { sentName } from '../provider/model-resolver.js';
import { ModelCatalogue } from '../provider/model-catalogue.js';
import { OptionLoader } from './option-loader.js';
import { viewModel, type ListedModel } from '../provider/models/view-model.js';

/** The answer of `GET /api/harness/models`. */
export interface ModelList {
  /** The model of turns that name none. */
  defaultModel: string;
  /** `rehearsal`: the offline model answers in place of each. */
  provider: ProviderMode;
  /** The best known model of each family first; retired models are left out. */
  models: ListedModel[];
}

/** The models that turns may name. */
@Injectable()
export class ModelListService {
  constructor(
    private readonly catalogue: ModelCatalogue,
    private readonly options: OptionLoader,
    @Inject(PROVIDER_MODE) private readonly mode: ProviderMode,
  ) {}

  async list(): Promise<ModelList> {
    const standard = await this.options.standardModel();
    return {
      defaultModel: sentName(standard, standard).name,
      provider: this.mode,
      models: this.catalogue.list().map(viewModel),
    };
  }
}
