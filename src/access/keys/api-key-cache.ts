import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { TtlCache } from '../../platform/async/ttl-cache.js';
import { KeyStore, type KeyCensus } from './key-store.js';
import type { KeyRow } from './key.dto.js';

/** Time after which every process refuses a revoked key, in ms. */
export const KEY_FRESH_MS = 1_000;
/** Shortest time between two updates of a key's last use, in ms. */
const USE_NOTED_MS = 60_000;
/** Most keys whose last use is cached. */
const MAX_SEEN_KEYS = 10_000;

/**
 * Caches keys for a second: requests cost no database access of their own. An older answer is never
 * used, not even while a new one is loaded.
 */
@Injectable()
export class ApiKeyCache {
  #keys: TtlCache<KeyRow | undefined>;
  #census: TtlCache<KeyCensus>;
  #hashes: TtlCache<ReadonlySet<string>>;
  /** Hashes of valid keys, with the time of the last stored use. */
  readonly #seen = new Map<string, number>();

  constructor(
    private readonly store: KeyStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#keys = new TtlCache(clock, KEY_FRESH_MS);
    this.#census = new TtlCache(clock, KEY_FRESH_MS);
    this.#hashes = new TtlCache(clock, KEY_FRESH_MS);
  }

  census(): Promise<KeyCensus> {
    return this.#census.get('all', () => this.store.census());
  }

  find(hash: string): Promise<KeyRow | undefined> {
    return this.#keys.get(hash, () => this.#load(hash));
  }

  /** The key as of the last second. */
  findById(id: string): Promise<KeyRow | undefined> {
    return this.#keys.get(`id ${id}`, () => this.store.find(id));
  }

  /** The key as it is stored now. */
  get(id: string): Promise<KeyRow | undefined> {
    return this.store.find(id);
  }

  /** Whether there is a key with the hash, as of the last second: of all of them at once, however many are asked for. */
  async exists(hash: string): Promise<boolean> {
    return (await this.#hashes.get('all', () => this.store.hashes())).has(hash);
  }

  /** Whether the hash was a key's at its last look-up. */
  hasSeen(hash: string): boolean {
    return this.#seen.has(hash);
  }

  /** Drops the cache after a change, so that this process sees the change at once. */
  forget(): void {
    this.#keys = new TtlCache(this.clock, KEY_FRESH_MS);
    this.#census = new TtlCache(this.clock, KEY_FRESH_MS);
    this.#hashes = new TtlCache(this.clock, KEY_FRESH_MS);
  }

  async #load(hash: string): Promise<KeyRow | undefined> {
    const key = await this.store.findByHash(hash);
    if (key === undefined) this.#seen.delete(hash);
    else this.#noteUse(key);
    return key;
  }

  /** Stores the use in the background: no request waits for it. */
  #noteUse({ id, secretHash, lastUsedAt }: KeyRow): void {
    const { clock, store, logger } = this;
    const noted = Math.max(this.#seen.get(secretHash) ?? 0, lastUsedAt?.getTime() ?? 0);
    const isDue = clock.now() - noted >= USE_NOTED_MS;
    this.#seen.delete(secretHash);
    this.#seen.set(secretHash, isDue ? clock.now() : noted);
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > MAX_SEEN_KEYS && oldest !== undefined) this.#seen.delete(oldest);
    if (!isDue) return;
    store
      .noteUse(id)
      .catch((error: unknown) =>
        logger.warn(
          { keyId: id, error },
          'could not store when an API key was last used; trying again at its first use after a minute',
        ),
      );
  }
}
