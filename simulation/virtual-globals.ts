import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

export interface VirtualGlobals {
  /** Virtual time, in ms since the epoch. */
  now(): number;
  /**
   * Random numbers from 0 to below 1, for a purpose: libraries draw ahead, which must not change what
   * others draw.
   */
  random(purpose: string): () => number;
}

/**
 * Replaces the time and the random numbers of the whole process: of the database's engine, whose `now()`
 * asks `Date.now`, and of ids.
 *
 * @returns a function that puts the real ones back.
 */
export function useVirtualGlobals({ now, random }: VirtualGlobals): () => void {
  const real = {
    now: Date.now,
    random: Math.random,
    randomUUID: crypto.randomUUID,
    randomBytes: crypto.randomBytes,
  };
  const [uuid, bytes] = [random('uuids'), random('bytes')];
  const fill = (size: number, draw: () => number): Buffer =>
    Buffer.from(Array.from({ length: size }, () => Math.floor(draw() * 256)));
  Date.now = () => Math.floor(now());
  Math.random = random('numbers');
  Object.assign(crypto, {
    randomUUID: () => {
      const hex = fill(16, uuid).toString('hex');
      const variant = '89ab'[Math.floor(uuid() * 4)] ?? '8';
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
    },
    randomBytes: (size: number) => fill(size, bytes),
  });
  syncBuiltinESMExports();
  return () => {
    Date.now = real.now;
    Math.random = real.random;
    Object.assign(crypto, { randomUUID: real.randomUUID, randomBytes: real.randomBytes });
    syncBuiltinESMExports();
  };
}
