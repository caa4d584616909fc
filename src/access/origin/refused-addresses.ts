import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { RateLimiterMemory } from 'rate-limiter-flexible';

/** Most wrong keys of an address in a minute. */
export const MOST_WRONG_KEYS = 20;
export const WRONG_KEYS_MS = 60_000;

/** Addresses that sent wrong keys, in this process. */
@Injectable()
export class RefusedAddresses {
  readonly #wrongKeys = new RateLimiterMemory({
    points: MOST_WRONG_KEYS,
    duration: WRONG_KEYS_MS / 1_000,
  });
  readonly #noted = new RateLimiterMemory({ points: 1, duration: 60 });

  /** @returns ms until the address may authenticate again; undefined: it may now. */
  async waitOf(address: string): Promise<number | undefined> {
    const found = await this.#wrongKeys.get(networkOf(address));
    if (found === null || found.consumedPoints < MOST_WRONG_KEYS) return undefined;
    return found.msBeforeNext;
  }

  async add(address: string): Promise<void> {
    await taken(this.#wrongKeys, networkOf(address));
  }

  /** Whether a refusal is to be audited: one a minute for each address. */
  shouldNote(address: string): Promise<boolean> {
    return taken(this.#noted, networkOf(address));
  }
}

/** The limiter rejects with a value, which is no error, when the limit is reached. */
function taken(limiter: RateLimiterMemory, address: string): Promise<boolean> {
  return limiter.consume(address).then(
    () => true,
    () => false,
  );
}

/**
 * The network of an address: the owner of an IPv6 address has the 2^64 addresses around it. Pure.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':');
}
