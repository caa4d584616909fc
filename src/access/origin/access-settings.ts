import type { Config } from '../../config/config.js';
import type { ResolvedLimits } from '../principal.js';

/** The rules by which requests are admitted. */
export interface AccessSettings {
  /** Address that the server listens on. */
  host: string;
  allowKeyless: boolean;
  /** Whether the first key may be made by a request from this machine. */
  takesFirstKey: boolean;
  /** Other sites whose pages may call. */
  corsOrigins: readonly string[];
  /** Limits of keys that have none of their own. */
  defaultLimits: ResolvedLimits;
}

/** Injects the `AccessSettings` of the process. */
export const ACCESS_SETTINGS = Symbol('AccessSettings');

/** The rules that a configuration makes. Pure. */
export function accessSettings(config: Config): AccessSettings {
  const { host, allowKeyless, corsOrigins } = config;
  const { requestsPerMinute, concurrentTurns, tokensPerDay, usdPerDay } = config;
  return {
    host,
    allowKeyless,
    corsOrigins,
    // With several processes, each would let anybody who reaches a gateway make the first key.
    takesFirstKey: config.databaseUrl === undefined && !allowKeyless,
    defaultLimits: { requestsPerMinute, concurrentTurns, tokensPerDay, usdPerDay },
  };
}
