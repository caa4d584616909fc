import type { ProviderMode } from '../provider-settings.js';
import { sentName } from './choose-model.js';
import type { ModelCatalogue } from './model-catalogue.js';
import { viewModel, type ListedModel } from './view-model.js';

/** The answer of `GET /api/harness/models`. */
export interface ModelList {
  /** What turns run with that name no model. */
  defaultModel: string;
  /** `rehearsal`: no model is called, and each is played by the offline one. */
  provider: ProviderMode;
  /** The best known of each line first; no model that is retired. */
  models: ListedModel[];
}

export interface ModelListDeps {
  catalogue: Pick<ModelCatalogue, 'list'>;
  mode: ProviderMode;
  /** The model of turns that name none, as it is configured. */
  standardModel(): Promise<string>;
}

/** The models that turns may name. */
export class ModelListService {
  constructor(private readonly deps: ModelListDeps) {}

  async list(): Promise<ModelList> {
    const { catalogue, mode, standardModel } = this.deps;
    const standard = await standardModel();
    return {
      defaultModel: sentName(standard, standard).name,
      provider: mode,
      models: catalogue.list().map(viewModel),
    };
  }
}
