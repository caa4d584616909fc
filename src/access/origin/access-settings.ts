import type { Config } from '../../config/config.js';
import type { ResolvedLimits } from '../principal.js';

/** The rules by which requests are admitted. */
export interface AccessSettings {
  /** Address that the server listens on. */
  host: string;
  allowKeyless: boolean;
  /** Whether a request from this machine may create the first key. */
  takesFirstKey: boolean;
  /** Other sites whose pages may send requests. */
  corsOrigins: readonly string[];
  /** Limits of keys without limits of their own. */
  defaultLimits: ResolvedLimits;
}

/** Injects the `AccessSettings` of the process. */
export const ACCESS_SETTINGS = Symbol('AccessSettings');

/** The rules of a config. Pure. */
export function accessSettings(config: Config): AccessSettings {
  const { host, allowKeyless, corsOrigins } = config;
  const { requestsPerMinute, concurrentTurns, tokensPerDay, usdPerDay } = config;
  return {
    host,
    allowKeyless,
    corsOrigins,
    // With several processes, anybody who reaches a gateway could create the first key.
    takesFirstKey: config.databaseUrl === undefined && !allowKeyless,
    defaultLimits: { requestsPerMinute, concurrentTurns, tokensPerDay, usdPerDay },
  };
}
