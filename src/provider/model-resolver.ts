import type { Clock } from '../platform/clock.js';
import { compact } from '../platform/compact.js';
import type { Logger } from '../platform/logger.js';
import { TtlCache } from '../platform/async/ttl-cache.js';
import { withDeadline } from '../platform/async/with-deadline.js';
import { modelRefused } from './provider-errors.js';
import type { ProviderMode } from './provider-config.js';
import {
  DEFAULT_MODEL,
  judgeLifecycle,
  notDescribed,
  resolvedName,
  sentName,
  type ResolvedModel,
} from './choose-model.js';
import type { ModelNotice } from '../storage/shapes/stored-options.js';
import type { ModelCatalogue } from './model-catalogue.js';
import type { ModelDescription } from './models/model-description.js';
import type { ModelStore } from './models/model-store.js';
import type { Model } from './model.js';

/** The provider's answer about a model by its name. */
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

/** Longest time that a turn waits for the description of its model, in ms. */
const DESCRIBE_TIMEOUT_MS = 5_000;

/** TTL of an answer, in ms: a name that fails is asked for no more often. */
const ANSWER_TTL_MS = 600_000;

const lateDescription = new Error(`The provider did not answer in ${DESCRIBE_TIMEOUT_MS} ms`);

/** Resolves the model of a turn, before the turn is stored. */
export class ModelResolver {
  readonly #answers: TtlCache<DescribedOrNot>;

  constructor(private readonly deps: ModelResolverDeps) {
    this.#answers = new TtlCache(deps.clock, ANSWER_TTL_MS);
  }

  /**
   * The model of a name. The provider is asked once about a name that is not known.
   *
   * @param standard the model of turns that name none.
   * @throws TypedError SDK_FAILURE 400 with `{category, model, useInstead}`, the category
   *   `MODEL_RETIRED` or, where the provider says that it has no such model, `MODEL_NOT_FOUND`.
   */
  async resolve(given: string, standard: string): Promise<ResolvedModel> {
    const { catalogue, provider } = this.deps;
    // The name of the rehearsal model in streams, which a client may send back.
    const isLabel = provider.mode === 'rehearsal' && given === 'rehearsal';
    const { name, notices } = sentName(isLabel ? standard : given, standard);
    const known = await this.load(name);
    if (known !== undefined) return judged(known, { name, standard, notices });
    const answer = await this.#answers.get(name, () => this.#ask(name));
    if (answer === 'missing') {
      const useInstead = standard === name ? DEFAULT_MODEL : standard;
      throw modelRefused('MODEL_NOT_FOUND', { model: name, useInstead });
    }
    if (answer === 'no-route') {
      return priced(catalogue.describe(name), name, [...notices, notDescribed(name)]);
    }
    const { id } = answer;
    const more = id === name ? notices : [...notices, resolvedName(name, id)];
    return judged(catalogue.describe(id), { name: id, standard, notices: more });
  }

  /**
   * A model of the catalogue, or one that another process has stored.
   *
   * @returns undefined for a model without a description.
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
      const limit = { ms: DESCRIBE_TIMEOUT_MS, reason: lateDescription };
      const answer = await withDeadline(clock, limit, (signal) =>
        provider.describeModel(name, signal),
      );
      if (typeof answer === 'string') return answer;
      catalogue.add(answer);
      await store.add(answer, new Date(clock.now()));
      return answer;
    } catch (error) {
      // Not an error of this request: the model call of the turn reports what is wrong.
      logger.warn(
        { model: name, error },
        'the provider could not describe a model; its turn runs without a description',
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
  return compact({ name, price, notices });
}
