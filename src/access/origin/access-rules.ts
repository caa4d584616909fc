import type { Config } from '../../config/config.js';
import type { ResolvedLimits } from '../principal.js';

/** The rules by which requests are admitted. */
export interface AccessRules {
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

/** Injects the `AccessRules` of the process. */
export const ACCESS_RULES = Symbol('AccessRules');

/** The rules of a config. Pure. */
export function accessRules(config: Config): AccessRules {
  const { host, allowKeyless, corsOrigins } = config;
  const { requestsPerMinute, concurrentTurns, tokensPerDay, usdPerDay } = config;
  return {
    host,
    allowKeyless,
    corsOrigins,
    // The first key needs a single process: anybody who reaches a gateway could create it.
    takesFirstKey: config.databaseUrl === undefined && !allowKeyless,
    defaultLimits: { requestsPerMinute, concurrentTurns, tokensPerDay, usdPerDay },
  };
}
