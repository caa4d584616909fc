import type { AgentConfig } from '../storage/shapes/stored-limits.js';

/** A budget that nothing uses up. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** Whether a limit is none. Pure. */
export function isUnlimited(limit: number): boolean {
  return limit >= UNLIMITED;
}

/** Calls of one step that models ask for only by mistake. */
const MOST_CALLS = 128;

/**
 * The limits of a turn that nobody limits: what the harness contract has (12 model calls) and the
 * server's own config. A turn of the oracle wire has the contract's defaults in their place.
 */
export function freeLimits(server: { turnTimeoutMs: number; parallelTools: number }): AgentConfig {
  return {
    maxIterations: 12,
    softWarningPercent: 70,
    tokenBudget: UNLIMITED,
    tokenWarningPercent: 80,
    timeoutSeconds: server.turnTimeoutMs / 1_000,
    maxToolCallsPerTurn: MOST_CALLS,
    maxParallelTools: server.parallelTools,
  };
}
