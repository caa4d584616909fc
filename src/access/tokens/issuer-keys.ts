import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { Clock } from '../../platform/clock.js';
import { isPlainObject } from '../../platform/json.js';
import type { Logger } from '../../platform/logger.js';
import type { PublicFetch } from '../../platform/net/public-fetch.js';
import type { Issuer } from './auth-file.js';

/** Age of the keys at which they are loaded again, in ms. */
const RELOAD_MS = 10 * 60_000;
/** Time between two loads, in ms, after one that failed: while there are keys, and while there are none. */
const RELOAD_RETRY_MS = 60_000;
const FIRST_RETRY_MS = 5_000;
/**
 * Loads for keys that are not known: so many at once, and one more each time that passes. Who sends forged tokens uses them
 * up for all, but each is a load, so that the keys of an issuer that has changed them are known after that time at most.
 */
const LOOKS_AT_ONCE = 5;
const LOOK_MS = 5_000;
/** Age at which keys of an issuer that does not answer are used no more, in ms. */
const MAX_AGE_MS = 24 * 60 * 60_000;
const FETCH_TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 64 * 1024;
const MIN_RSA_BITS = 2_048;

interface LoadedKeys {
  get: JWTVerifyGetKey;
  /** Another for each set of keys. */
  text: string;
  at: number;
}

/** The issuer's keys were never loaded, or too long ago. */
export class IssuerAwayError extends Error {
  constructor(
    readonly issuer: string,
    options: { cause: unknown },
  ) {
    super(`The keys of the issuer ${issuer} could not be loaded`, options);
  }
}

/**
 * The public keys of an issuer, which is asked for them at their first use, every ten minutes, and for a key that is not
 * known or does not fit. While it does not answer, the keys are used that it had, for a day.
 */
export class IssuerKeys {
  #keys: LoadedKeys | undefined;
  #loading: Promise<void> | undefined;
  /** When a load began last. */
  #triedAt = -Infinity;
  /** Looks for keys that were not known, less those that have passed, and when they were counted. */
  #looks = 0;
  #lookedAt = -Infinity;
  /** The fault of the last load; undefined: it worked. */
  #fault: unknown;

  constructor(
    private readonly issuer: Pick<Issuer, 'name' | 'issuerUrl' | 'jwksUrl'>,
    private readonly options: { fetch: PublicFetch; clock: Clock; logger: Logger },
  ) {}

  /** The keys as they are known. @throws IssuerAwayError. */
  async current(): Promise<LoadedKeys> {
    const { clock } = this.options;
    const isFresh = this.#keys !== undefined && clock.now() - this.#keys.at < RELOAD_MS;
    const retryMs = this.#keys === undefined ? FIRST_RETRY_MS : RELOAD_RETRY_MS;
    const waitMs = this.#fault === undefined ? RELOAD_MS : retryMs;
    if (!isFresh && clock.now() - this.#triedAt >= waitMs) {
      const loading = this.#load();
      // Known keys need not wait for those that may be new.
      if (this.#keys === undefined) await loading;
    } else if (this.#keys === undefined) {
      await this.#loading;
    }
    const keys = this.#keys;
    if (keys === undefined || clock.now() - keys.at > MAX_AGE_MS) {
      throw new IssuerAwayError(this.issuer.name, { cause: this.#fault });
    }
    return keys;
  }

  /** Loads the keys for one that is not known, or does not fit. @returns whether there are other keys now. */
  async lookAgain(known: LoadedKeys): Promise<boolean> {
    if (this.#loading === undefined && this.#mayLook()) void this.#load();
    await this.#loading;
    return this.#keys !== undefined && this.#keys.text !== known.text;
  }

  #mayLook(): boolean {
    const now = this.options.clock.now();
    this.#looks = Math.max(0, this.#looks - (now - this.#lookedAt) / LOOK_MS);
    this.#lookedAt = now;
    if (this.#looks > LOOKS_AT_ONCE - 1) return false;
    this.#looks += 1;
    return true;
  }

  #load(): Promise<void> {
    this.#triedAt = this.options.clock.now();
    return (this.#loading ??= this.#tryLoad().finally(() => (this.#loading = undefined)));
  }

  /** Takes its failures: the keys that are known stay. */
  async #tryLoad(): Promise<void> {
    const { issuer, options } = this;
    try {
      const found = await this.#fetchKeys();
      const text = JSON.stringify(found);
      this.#keys = { get: createLocalJWKSet(found), text, at: options.clock.now() };
      this.#fault = undefined;
    } catch (error) {
      this.#fault = error;
      options.logger.warn(
        { issuer: issuer.name, error },
        'could not load the keys of an issuer; tokens that are signed by the keys it had are taken for a day',
      );
    }
  }

  async #fetchKeys(): Promise<JSONWebKeySet> {
    const jwksUrl = this.issuer.jwksUrl ?? (await this.#discover());
    const { keys }: { keys?: unknown } = await this.#fetchJson(jwksUrl);
    if (!Array.isArray(keys) || !keys.every(isPlainObject)) {
      throw new Error(`${jwksUrl} is no set of keys`);
    }
    return { keys: keys.filter((key) => isVerifying(key) && isUsable(key)) };
  }

  async #discover(): Promise<string> {
    const { issuerUrl } = this.issuer;
    const url = `${issuerUrl.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const { issuer, jwks_uri: jwksUrl } = await this.#fetchJson(url);
    if (issuer !== issuerUrl) {
      throw new Error(
        `${url} is of the issuer ${String(issuer).slice(0, 200)}. Make issuer_url the same, to the last slash`,
      );
    }
    if (typeof jwksUrl !== 'string' || !URL.canParse(jwksUrl))
      throw new Error(`${url} has no jwks_uri`);
    const isSafe = new URL(jwksUrl).protocol === 'https:' || issuerUrl.startsWith('http:');
    if (!isSafe) throw new Error(`jwks_uri of ${url} must begin with https://`);
    return jwksUrl;
  }

  async #fetchJson(url: string): Promise<Record<string, unknown>> {
    const headers = { accept: 'application/json' };
    const signal = AbortSignal.timeout(FETCH_TIMEOUT_MS);
    const { status, body } = await this.options.fetch(url, { headers, signal });
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of body ?? []) {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) throw new Error(`${url} has more than 64 KiB`);
      chunks.push(chunk);
    }
    if (status !== 200) throw new Error(`${url} answered with status ${status}`);
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (!isPlainObject(value)) throw new Error(`${url} is no JSON object`);
    return value;
  }
}

/** Whether a key is for signatures, and no shared secret. */
function isVerifying({ kty, use }: { kty?: unknown; use?: unknown }): boolean {
  return kty !== 'oct' && (use === undefined || use === 'sig');
}

/** Whether a public key is whole and, of RSA, long enough: the library fails at others only when a token needs one. */
function isUsable(key: JsonWebKey): boolean {
  if (key.d !== undefined) return false;
  try {
    const { asymmetricKeyDetails: details } = createPublicKey({ key, format: 'jwk' });
    return (details?.modulusLength ?? MIN_RSA_BITS) >= MIN_RSA_BITS;
  } catch {
    return false;
  }
}
