import type { AgentConfig } from '../storage/shapes/stored-options.js';

/** A limit that is never reached. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** Whether a limit is none. Pure. */
export function isUnlimited(limit: number): boolean {
  return limit >= UNLIMITED;
}

/** Calls of a step: more are a model's mistake. */
const MOST_CALLS = 128;

/** Read-only calls of a step that run at a time. */
const PARALLEL_TOOLS = 4;

/**
 * The limits of a turn where no tier sets any: the harness contract's 12 model calls, and the
 * server's own config. Turns of the oracle wire have the defaults of their contract instead.
 */
export function freeLimits(server: { turnTimeoutMs: number }): AgentConfig {
  return {
    maxIterations: 12,
    softWarningPercent: 70,
    tokenBudget: UNLIMITED,
    tokenWarningPercent: 80,
    timeoutSeconds: server.turnTimeoutMs / 1_000,
    maxToolCallsPerTurn: MOST_CALLS,
    maxParallelTools: PARALLEL_TOOLS,
  };
}
