import { knownModels, unknownModel } from './known-models.js';
import type { Model } from './model.js';

/** The models there are, and what is known of each. */
export class ModelCatalogue {
  readonly #models: ReadonlyMap<string, Model>;

  constructor(models: readonly Model[] = knownModels) {
    this.#models = new Map(models.flatMap((model) => namesOf(model.id).map((id) => [id, model])));
  }

  /** @returns undefined for a name that nobody has described. */
  find(name: string): Model | undefined {
    return this.#models.get(name);
  }

  /** What is known of the model, or what is safe to take of one that is not known. */
  describe(name: string): Model {
    return this.find(name) ?? unknownModel(name);
  }
}

/** An id with a date is known by its name without the date as well. */
function namesOf(id: string): string[] {
  const undated = id.replace(/-\d{8}$/, '');
  return undated === id ? [id] : [id, undated];
}
