import { knownModels, unknownModel } from './known-models.js';
import { findPrice, type ModelPrice } from './model-price.js';
import { mergeDescriptions, type ModelDescription } from './model-description.js';
import type { Model } from './model.js';

export interface CatalogueOptions {
  /** Default: what this build knows. */
  known?: readonly Model[];
  /** The operator's own words: `TURNPIKE_MODELS`. Default: none. */
  overrides?: readonly ModelDescription[];
  /** What models cost the operator: `TURNPIKE_PRICES`. Default: what the rest says. */
  prices?: readonly ModelPrice[];
  /** What of a model the provider's profile lets be used. Default: all. */
  limit?: (model: Model) => Model;
}

/**
 * The models there are, and what is known of each: this build's table, over it what the provider
 * says, over that the operator's file. In memory; the same in every process that has read what the
 * database has.
 */
export class ModelCatalogue {
  readonly #known: ReadonlyMap<string, Model>;
  readonly #overrides: ReadonlyMap<string, ModelDescription>;
  readonly #prices: readonly ModelPrice[];
  readonly #limit: (model: Model) => Model;
  #described: ReadonlyMap<string, ModelDescription> = new Map();
  #models: ReadonlyMap<string, Model> = new Map();

  constructor({
    known = knownModels,
    overrides = [],
    prices = [],
    limit = (model) => model,
  }: CatalogueOptions = {}) {
    this.#limit = limit;
    this.#known = byId(known);
    this.#overrides = byId(overrides);
    this.#prices = prices;
    this.#merge();
  }

  /** Takes what the provider says of all its models, in place of what it said before. */
  replace(described: readonly ModelDescription[]): void {
    this.#described = byId(described);
    this.#merge();
  }

  /** Takes what the provider says of one more model. */
  add(described: ModelDescription): void {
    this.#described = new Map([...this.#described, [described.id, described]]);
    this.#merge();
  }

  /** @returns undefined for a name that nobody has described. */
  find(name: string): Model | undefined {
    return this.#models.get(name);
  }

  /** What is known of the model, or what is safe to take of one that is not known. */
  describe(name: string): Model {
    return this.find(name) ?? this.#limit(this.#priced(unknownModel(name)));
  }

  /**
   * Models that turns may name, those of the table first. Where the provider has listed its models,
   * a model that only the table knows is not among them.
   */
  list(): Model[] {
    const hasList = [...this.#described.values()].some((said) => said.isListed === true);
    const isListed = ({ id }: Model): boolean =>
      !hasList || this.#described.has(id) || this.#overrides.has(id);
    return [...new Set(this.#models.values())].filter(
      (model) => model.lifecycle !== 'retired' && isListed(model),
    );
  }

  #merge(): void {
    const ids = new Set([
      ...this.#known.keys(),
      ...this.#described.keys(),
      ...this.#overrides.keys(),
    ]);
    const models = [...ids].flatMap((id): [string, Model][] => {
      const [known, said, own] = [
        this.#known.get(id),
        this.#described.get(id),
        this.#overrides.get(id),
      ];
      const model = mergeDescriptions(known, said, own);
      return model === undefined ? [] : [[id, this.#limit(this.#priced(model))]];
    });
    // A name of its own goes before another model's name without the date.
    const undated = models.map(([id, model]): [string, Model] => [withoutDate(id), model]);
    this.#models = new Map([...undated, ...models]);
  }

  #priced(model: Model): Model {
    const price = findPrice(this.#prices, model.id);
    return price === undefined ? model : { ...model, price };
  }
}

function byId<T extends { id: string }>(models: readonly T[]): ReadonlyMap<string, T> {
  return new Map(models.map((model) => [model.id, model]));
}

/** An id with a date is known by its name without the date as well. */
function withoutDate(id: string): string {
  return id.replace(/-\d{8}$/, '');
}
