import { findPrice, type ModelPrice } from '../config/variable-forms.js';
import { compact } from '../platform/compact.js';
import { knownModels, unknownModel } from './models/known-models.js';
import type { Model } from './model.js';

export interface CatalogueOptions {
  /** Default: the table of this build. */
  known?: readonly Model[];
  /** Assumptions about a model that nothing describes. Default: what every server and every model takes. */
  unknown?: (id: string) => Model;
  /** The operator's descriptions: `TURNPIKE_MODELS`. Default: none. */
  overrides?: readonly ModelDescription[];
  /** The operator's prices: `TURNPIKE_PRICES`. Default: those of the descriptions. */
  prices?: readonly ModelPrice[];
  /** Limits a model to the provider's profile. Default: no limits. */
  limit?: (model: Model) => Model;
}

/**
 * The models and their descriptions: this build's table, overridden by the provider's description,
 * overridden by the operator's file. In memory; equal in all processes that have loaded the stored
 * descriptions.
 */
export class ModelCatalogue {
  readonly #known: ReadonlyMap<string, Model>;
  readonly #overrides: ReadonlyMap<string, ModelDescription>;
  readonly #prices: readonly ModelPrice[];
  readonly #limit: (model: Model) => Model;
  readonly #unknown: (id: string) => Model;
  #described: ReadonlyMap<string, ModelDescription> = new Map();
  #models: ReadonlyMap<string, Model> = new Map();

  constructor({
    known = knownModels,
    overrides = [],
    prices = [],
    limit = (model) => model,
    unknown = unknownModel,
  }: CatalogueOptions = {}) {
    this.#limit = limit;
    this.#unknown = unknown;
    this.#known = byId(known);
    this.#overrides = byId(overrides);
    this.#prices = prices;
    this.#merge();
  }

  /** Replaces the provider's descriptions. */
  replace(described: readonly ModelDescription[]): void {
    this.#described = byId(described);
    this.#merge();
  }

  /** Adds a description of the provider. */
  add(described: ModelDescription): void {
    this.#described = new Map([...this.#described, [described.id, described]]);
    this.#merge();
  }

  /** @returns undefined for a name without a description. */
  find(name: string): Model | undefined {
    return this.#models.get(name);
  }

  /** The model, or safe assumptions about one that is not known. */
  describe(name: string): Model {
    return this.find(name) ?? this.#limit(this.#priced(this.#unknown(name)));
  }

  /**
   * The models that turns may name, those of the table first. A list of the provider leaves out
   * models that only the table has.
   */
  list(): Model[] {
    const hasList = [...this.#described.values()].some(({ isListed }) => isListed === true);
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
      const [known, described, override] = [
        this.#known.get(id),
        this.#described.get(id),
        this.#overrides.get(id),
      ];
      const model = mergeDescriptions(known, described, override, this.#unknown);
      return model === undefined ? [] : [[id, this.#limit(this.#priced(model))]];
    });
    // An id goes before an equal undated name of another model.
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

/** The undated name that an id with a date has as well. */
function withoutDate(id: string): string {
  return id.replace(/-\d{8}$/, '');
}

/** A description of a model, complete or not. */
export type ModelDescription = Pick<Model, 'id'> &
  Partial<Model> & {
    /** Whether it comes from the provider's list; absent: the model was asked for by name. */
    isListed?: boolean;
  };

/**
 * Merges the table's entry and descriptions of a model; later ones override. A model without an entry
 * gets `unknown` for what no description says. Pure.
 */
function mergeDescriptions(
  known: Model | undefined,
  described: ModelDescription | undefined,
  override: ModelDescription | undefined,
  unknown: (id: string) => Model,
): Model | undefined {
  const id = known?.id ?? described?.id ?? override?.id;
  if (id === undefined) return undefined;
  const base = known ?? { ...unknown(id), ...guess({ ...described, ...override }) };
  const { isListed: _isListed, ...fields } = described ?? {};
  return { ...base, ...fields, ...override, id };
}

/** Models with a smaller window take fewer images. */
const LARGE_WINDOW = 1_000_000;

/** Fields that follow from a description of a model without an entry. */
function guess({ thinking, contextWindow }: Partial<Model>): Partial<Model> {
  return compact({
    thinksByDefault: thinking && guessThinking(thinking),
    mostImages: contextWindow && (contextWindow < LARGE_WINDOW ? 100 : 600),
  });
}

function guessThinking(kinds: Model['thinking']): Model['thinksByDefault'] {
  if (kinds.length === 0) return 'off';
  if (!kinds.includes('disabled') && !kinds.includes('between_tools')) return 'always';
  return kinds.includes('adaptive') ? 'on' : 'off';
}
