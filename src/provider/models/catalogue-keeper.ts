import { isPlainObject } from '../../platform/json.js';
import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import { Poller } from '../../platform/async/poller.js';
import { withDeadline } from '../../platform/async/deadlines.js';
import type { ModelCatalogue, ModelDescription } from '../model-catalogue.js';
import type { Lifecycle } from '../model.js';
import type { ModelStore } from './model-store.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Time between two loads of the stored list. */
const ROUND_MS = 600_000;
/** Longest time for the provider to list its models. */
const LIST_TIMEOUT_MS = 15_000;

const lateList = new Error(`The provider did not list its models in ${LIST_TIMEOUT_MS} ms`);

export interface CatalogueKeeperDeps {
  catalogue: Pick<ModelCatalogue, 'find' | 'list' | 'replace'>;
  store: Pick<ModelStore, 'load' | 'claim' | 'postpone' | 'replace'>;
  provider: {
    /** @returns undefined where the provider has no such route. */
    listModels(signal: AbortSignal): Promise<ModelDescription[] | undefined>;
  };
  clock: Clock;
  logger: Pick<Logger, 'info' | 'warn'>;
  /** TTL of a list. Default: a day. */
  staleAfterMs?: number;
  /** The configured model of turns that name none, as it is sent. Absent: none. */
  configuredModel?: string | undefined;
  /** Beginnings of the names of models that the operator set prices for. Default: none. */
  priced?: readonly string[];
}

/** Models that a warning names. */
const NAMED = 5;

/**
 * Refreshes a process's catalogue from the provider's list of models, in the background: a failure
 * leaves the known models in use. One process a day asks the provider; all others load what it stored.
 */
export class CatalogueKeeper {
  readonly #closing = new AbortController();
  readonly #poller: Poller;
  /** The fault logged last: one that lasts is one line. */
  #fault: string | undefined;
  /** The lifecycle of the configured model at the last warning; `unknown`: nothing describes it. */
  #warnedOf: Lifecycle | 'unknown' = 'active';
  #hasWarnedOfPrices = false;

  constructor(private readonly deps: CatalogueKeeperDeps) {
    const { clock } = deps;
    this.#poller = new Poller(() => this.#refresh(), {
      clock,
      waitMs: (lookedAt) => lookedAt + ROUND_MS - clock.now(),
      onError: (error) => this.#warnOfError(error),
    });
  }

  /** Resolves when the stored list is in the catalogue. */
  async start(): Promise<void> {
    try {
      await this.#load();
    } catch (error) {
      this.#warnOfError(error);
    }
    this.#warnOfLifecycle();
    this.#poller.now();
  }

  /** Resolves when no refresh is running. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#poller.stop();
  }

  async #refresh(): Promise<void> {
    const { store, clock, staleAfterMs = DAY_MS } = this.deps;
    const now = clock.now();
    if (!(await store.claim(new Date(now), new Date(now - staleAfterMs)))) return this.#load();
    try {
      await this.#ask(new Date(now));
    } catch (error) {
      await store.postpone(new Date(now - staleAfterMs + HOUR_MS));
      throw error;
    }
  }

  async #ask(now: Date): Promise<void> {
    const { provider, store, catalogue, clock, logger } = this.deps;
    const limit = { ms: LIST_TIMEOUT_MS, reason: lateList, outer: this.#closing.signal };
    const described = await withDeadline(clock, limit, (signal) => provider.listModels(signal));
    if (described === undefined) {
      if (!this.#isNewFault('no list')) return;
      logger.warn({}, 'the provider has no list of models; the built-in table is used');
      return;
    }
    await store.replace(described, now);
    catalogue.replace(described);
    this.#warnOfLifecycle();
    this.#warnOfUnknown();
    this.#warnOfPrices();
    this.#fault = undefined;
    logger.info({ models: described.length }, 'loaded the model catalogue from the provider');
  }

  async #load(): Promise<void> {
    const { store, catalogue } = this.deps;
    const described = await store.load();
    if (described.length > 0) catalogue.replace(described);
  }

  /** Once there is the provider's list: it may have a model that the table lacks. */
  #warnOfUnknown(): void {
    const { catalogue, configuredModel: model, logger } = this.deps;
    if (model === undefined || catalogue.find(model) !== undefined) return;
    if (this.#warnedOf === 'unknown') return;
    this.#warnedOf = 'unknown';
    logger.warn(
      { model },
      'TURNPIKE_MODEL names a model that the provider does not list; turns that use it may be refused. Correct it (the command models lists them), or describe it in TURNPIKE_MODELS',
    );
  }

  #warnOfPrices(): void {
    if (this.#hasWarnedOfPrices) return;
    this.#hasWarnedOfPrices = true;
    const { catalogue, logger, priced = [] } = this.deps;
    const models = catalogue.list().map(({ id }) => id);
    for (const model of priced) {
      if (models.some((id) => id.startsWith(model))) continue;
      logger.warn(
        { model, models: models.slice(0, NAMED) },
        'TURNPIKE_PRICES has a price for no model that is listed: write the beginning of a model’s name (the command models lists them)',
      );
    }
  }

  /** Warns the operator at the start, not with the first refused turn. */
  #warnOfLifecycle(): void {
    const { catalogue, configuredModel, logger } = this.deps;
    const model = configuredModel === undefined ? undefined : catalogue.find(configuredModel);
    if (model === undefined || model.lifecycle === this.#warnedOf) return;
    this.#warnedOf = model.lifecycle;
    if (model.lifecycle === 'active') return;
    const { id, lifecycle, retiresAt, replacement } = model;
    logger.warn(
      { model: id, lifecycle, ...(retiresAt && { retiresAt }), useInstead: replacement },
      lifecycle === 'retired'
        ? 'TURNPIKE_MODEL names a retired model; turns that use it are refused. Choose another one'
        : 'TURNPIKE_MODEL names a deprecated model; choose another one before it is retired',
    );
  }

  #warnOfError(error: unknown): void {
    if (this.#closing.signal.aborted) return;
    const reason = error instanceof Error ? error.message : String(error);
    if (!this.#isNewFault(reason)) return;
    const details =
      error instanceof Error && 'details' in error && isPlainObject(error.details)
        ? { details: error.details }
        : {};
    this.deps.logger.warn(
      { reason, ...details },
      'could not refresh the list of models; the last known one is used until a later refresh',
    );
  }

  #isNewFault(fault: string): boolean {
    const isNew = fault !== this.#fault;
    this.#fault = fault;
    return isNew;
  }
}
