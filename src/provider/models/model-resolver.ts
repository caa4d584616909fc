import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import { TtlCache } from '../../platform/ttl-cache.js';
import { modelRefused } from '../provider-errors.js';
import type { ProviderMode } from '../provider-config.js';
import {
  DEFAULT_MODEL,
  judgeLifecycle,
  notDescribed,
  resolvedName,
  sentName,
  type ModelNotice,
  type ResolvedModel,
} from './choose-model.js';
import type { ModelCatalogue } from './model-catalogue.js';
import type { ModelDescription } from './model-description.js';
import type { ModelStore } from './model-store.js';
import type { Model } from './model.js';

/** What a provider says of a model it was asked for by its name. */
export type DescribedOrNot = ModelDescription | 'missing' | 'no-route';

export interface ModelResolverDeps {
  catalogue: ModelCatalogue;
  store: Pick<ModelStore, 'find' | 'add'>;
  provider: {
    readonly mode: ProviderMode;
    describeModel(name: string, signal: AbortSignal): Promise<DescribedOrNot>;
  };
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
}

/** The longest that a turn waits for the description of its model. */
const ASK_MS = 5_000;

/** How long an answer is remembered: a name that fails is asked for no more often. */
const ANSWER_TTL_MS = 600_000;

/** Settles which model a turn runs with, before anything of it is stored. */
export class ModelResolver {
  readonly #answers: TtlCache<DescribedOrNot>;

  constructor(private readonly deps: ModelResolverDeps) {
    this.#answers = new TtlCache(deps.clock, ANSWER_TTL_MS);
  }

  /**
   * The model that is meant by a name. One that nobody has described is asked for, once.
   *
   * @param standard the model of turns that name none.
   * @throws TypedError SDK_FAILURE 400 with `{category, model, useInstead}`, the category
   *   `MODEL_RETIRED` or, where the provider says that it has no such model, `MODEL_NOT_FOUND`.
   */
  async resolve(given: string, standard: string): Promise<ResolvedModel> {
    const { catalogue, provider } = this.deps;
    // What the stream calls the offline model, in case a client sends it back.
    const isLabel = provider.mode === 'rehearsal' && given === 'rehearsal';
    const { name, notices } = sentName(isLabel ? standard : given, standard);
    const known = await this.load(name);
    if (known !== undefined) return judged(known, { name, standard, notices });
    const said = await this.#answers.get(name, () => this.#ask(name));
    if (said === 'missing') {
      const useInstead = standard === name ? DEFAULT_MODEL : standard;
      throw modelRefused('MODEL_NOT_FOUND', { model: name, useInstead });
    }
    if (said === 'no-route') {
      return priced(catalogue.describe(name), name, [...notices, notDescribed(name)]);
    }
    const { id } = said;
    const more = id === name ? notices : [...notices, resolvedName(name, id)];
    return judged(catalogue.describe(id), { name: id, standard, notices: more });
  }

  /**
   * What is known of a model, also where only another process has asked for it.
   *
   * @returns undefined for one that nobody has described.
   */
  async load(name: string): Promise<Model | undefined> {
    const { catalogue, store } = this.deps;
    const known = catalogue.find(name);
    if (known !== undefined) return known;
    const stored = await store.find(name);
    if (stored === undefined) return undefined;
    catalogue.add(stored);
    return catalogue.find(name);
  }

  async #ask(name: string): Promise<DescribedOrNot> {
    const { catalogue, store, provider, clock, logger } = this.deps;
    try {
      const said = await provider.describeModel(name, AbortSignal.timeout(ASK_MS));
      if (typeof said === 'string') return said;
      catalogue.add(said);
      await store.add(said, new Date(clock.now()));
      return said;
    } catch (error) {
      // The turn is the better judge: its call says what is wrong, to whoever sent it.
      logger.warn(
        { model: name, error },
        'a model could not be asked for; its turn runs all the same',
      );
      return 'no-route';
    }
  }
}

interface Judged {
  name: string;
  standard: string;
  notices: readonly ModelNotice[];
}

/** @throws TypedError of a model that is retired. */
function judged(model: Model, { name, standard, notices }: Judged): ResolvedModel {
  return priced(model, name, [...notices, ...judgeLifecycle(model, name, standard)]);
}

function priced({ price }: Model, name: string, notices: ModelNotice[]): ResolvedModel {
  return { name, ...(price === undefined ? {} : { price }), notices };
}
