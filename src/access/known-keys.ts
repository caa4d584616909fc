import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../platform/clock.js';
import { LOGGER, type Logger } from '../platform/logger.js';
import { TtlCache } from '../platform/ttl-cache.js';
import { KeyStore, type KeyCensus, type KeyRow } from './key-store.js';

/** How long a revoked key may still be taken by another process, in ms. */
export const KEY_FRESH_MS = 1_000;
/** Between two notes that a key was used, in ms. */
const USE_NOTED_MS = 60_000;
/** Keys whose use is remembered. */
const MOST_SEEN = 10_000;

/**
 * Keys as the database had them a second ago at most: requests cost no read of their own. An answer
 * that is older is never used, not even while a new one is fetched.
 */
@Injectable()
export class KnownKeys {
  #keys: TtlCache<KeyRow | undefined>;
  #census: TtlCache<KeyCensus>;
  /** Hashes of keys that there are, with when their use was noted. */
  readonly #seen = new Map<string, number>();

  constructor(
    private readonly store: KeyStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#keys = new TtlCache(clock, KEY_FRESH_MS);
    this.#census = new TtlCache(clock, KEY_FRESH_MS);
  }

  census(): Promise<KeyCensus> {
    return this.#census.get('all', () => this.store.census());
  }

  find(hash: string): Promise<KeyRow | undefined> {
    return this.#keys.get(hash, () => this.#load(hash));
  }

  /** Whether a hash was a key's when it was last looked up. */
  hasSeen(hash: string): boolean {
    return this.#seen.has(hash);
  }

  /** To be called after a change: this process knows of it at once. */
  forget(): void {
    this.#keys = new TtlCache(this.clock, KEY_FRESH_MS);
    this.#census = new TtlCache(this.clock, KEY_FRESH_MS);
  }

  async #load(hash: string): Promise<KeyRow | undefined> {
    const key = await this.store.findByHash(hash);
    if (key === undefined) this.#seen.delete(hash);
    else this.#noteUse(key);
    return key;
  }

  /** Beside the request: when a key was last used is worth no waiting. */
  #noteUse({ id, secretHash, lastUsedAt }: KeyRow): void {
    const { clock, store, logger } = this;
    const noted = Math.max(this.#seen.get(secretHash) ?? 0, lastUsedAt?.getTime() ?? 0);
    const isDue = clock.now() - noted >= USE_NOTED_MS;
    this.#seen.delete(secretHash);
    this.#seen.set(secretHash, isDue ? clock.now() : noted);
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > MOST_SEEN && oldest !== undefined) this.#seen.delete(oldest);
    if (!isDue) return;
    store
      .noteUse(id)
      .catch((error: unknown) =>
        logger.warn({ keyId: id, error }, 'the use of a key is not noted'),
      );
  }
}
