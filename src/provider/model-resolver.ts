import type { Clock } from '../platform/clock.js';
import { compact } from '../platform/compact.js';
import type { Logger } from '../platform/logger.js';
import { TtlCache } from '../platform/async/ttl-cache.js';
import { withDeadline } from '../platform/async/deadlines.js';
import type { ModelNotice, Price } from '../storage/shapes/stored-options.js';
import { assertNever } from '../platform/assert-never.js';
import { modelNotDescribed, modelRefused } from './provider-errors.js';
import type { ProviderMode } from './provider-config.js';
import type { ModelCatalogue, ModelDescription } from './model-catalogue.js';
import type { ModelStore } from './models/model-store.js';
import type { Model } from './model.js';

/** The provider's answer about a model by its name. */
export type DescribedOrNot =
  | ModelDescription
  | 'missing'
  | 'no-route'
  /** Only the operator describes it, and has not. */
  | 'not-described';

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
   *   `MODEL_RETIRED` or, where the provider says that it has no such model, or nothing describes it that must,
   *   `MODEL_NOT_FOUND`.
   */
  async resolve(requested: string, standard: string): Promise<ResolvedModel> {
    const { catalogue, provider } = this.deps;
    // The name of the rehearsal model in streams, which a client may send back.
    const isLabel = provider.mode === 'rehearsal' && requested === 'rehearsal';
    const { name, notices } = sentName(isLabel ? standard : requested, standard);
    const known = await this.load(name);
    if (known !== undefined) return judged(known, { name, standard, notices });
    const answer = await this.#answers.get(name, () => this.#ask(name));
    if (answer === 'missing') {
      const useInstead = standard === name ? DEFAULT_MODEL : standard;
      throw modelRefused('MODEL_NOT_FOUND', { model: name, useInstead });
    }
    if (answer === 'not-described') throw modelNotDescribed(name);
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
        'the provider could not describe a model; its turn runs without the description',
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

function priced(model: Model, name: string, notices: ModelNotice[]): ResolvedModel {
  const { price, callsTools, seesImages } = model;
  return compact({ name, price, notices, callsTools, seesImages });
}

/** The model of turns where nobody names one. */
export const DEFAULT_MODEL = 'claude-sonnet-5-5';

/** The default that clients of the contract send; the model was retired in June 2026. */
const CONTRACT_DEFAULT = 'claude-sonnet-4-20250514';

/** The model a turn runs with. */
export interface ResolvedModel {
  /** The name that is sent to the provider. */
  name: string;
  /** Absent: not known. */
  price?: Price;
  /** Absent: it does. */
  callsTools?: boolean;
  /** Absent: it does. */
  seesImages?: boolean;
  notices: ModelNotice[];
}

/** A name as it is sent to the provider. */
export interface SentName {
  name: string;
  notices: ModelNotice[];
}

/**
 * The name that is sent for the one that was given: without `[1m]`, which older clients put at its
 * end to ask for a large window, and with today's default instead of the contract's. Pure.
 *
 * @param standard the model of turns that name none.
 */
export function sentName(requested: string, standard: string): SentName {
  const name = requested.replace(/\s*\[1m\]$/i, '');
  const notices =
    name === requested
      ? []
      : [changed(requested, name, 'The window is the model’s own, and “[1m]” no part of its name')];
  if (name !== CONTRACT_DEFAULT) return { name, notices };
  const current = standard === CONTRACT_DEFAULT ? DEFAULT_MODEL : standard;
  return {
    name: current,
    notices: [...notices, changed(name, current, `${name} is retired, and was the default`)],
  };
}

function changed(from: string, to: string, why: string): ModelNotice {
  return {
    kind: 'model-changed',
    text: `${why}: the turn runs with ${to}.`,
    metadata: { model: from, using: to },
  };
}

/** The notice that the provider resolved a name to another model. */
function resolvedName(requested: string, id: string): ModelNotice {
  return changed(requested, id, `The provider has ${id} as ${requested}`);
}

/** The notice that nothing describes the model. */
function notDescribed(model: string): ModelNotice {
  return {
    kind: 'model-not-described',
    text: `Nothing is known of the model ${model}, and the provider does not describe it: the turn runs with what every model takes. TURNPIKE_MODELS can say more.`,
    metadata: { model },
  };
}

/**
 * The notices about a model's lifecycle. Pure.
 *
 * @throws TypedError SDK_FAILURE 400, category `MODEL_RETIRED`.
 */
function judgeLifecycle(model: Model, requested: string, standard: string): ModelNotice[] {
  const useInstead = model.replacement ?? (standard === requested ? DEFAULT_MODEL : standard);
  switch (model.lifecycle) {
    case 'active':
      return [];
    case 'retired':
      throw modelRefused('MODEL_RETIRED', { model: requested, useInstead });
    case 'deprecated':
      return [deprecated(model, useInstead)];
    default:
      return assertNever(model.lifecycle);
  }
}

function deprecated({ id, retiresAt }: Model, useInstead: string): ModelNotice {
  const until = retiresAt === undefined ? '' : `, its retirement is set for ${retiresAt}`;
  return {
    kind: 'model-deprecated',
    text: `The model ${id} is deprecated${until}. Use ${useInstead}.`,
    metadata: compact({ model: id, useInstead, retiresAt }),
  };
}
