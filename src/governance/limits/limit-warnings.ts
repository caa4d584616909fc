import type { AgentConfig } from '../../storage/shapes/stored-options.js';
import type { AgentState } from '../decision-tree/agent-state.js';

/** Fields by their wire names. */
export interface LimitMetadata {
  current_value: number;
  limit_value: number;
  /** Rounded down: 100 only where the limit is reached. */
  percent: number;
  limit_type: 'iteration' | 'token' | 'timeout' | 'cost';
}

export interface LimitWarning {
  kind: 'iteration-limit' | 'token-limit' | 'time-limit' | 'cost-limit';
  text: string;
  metadata: LimitMetadata;
}

/**
 * The iteration at whose start the warning is due, the first at which the percentage is reached: that alone would
 * come too late for few iterations. Undefined where fewer than two iterations would be left after it.
 */
export function iterationWarnAt({
  maxIterations,
  softWarningPercent,
}: Readonly<AgentConfig>): number | undefined {
  if (maxIterations < 3) return undefined;
  const mark = Math.ceil((softWarningPercent * maxIterations) / 100);
  return Math.max(1, Math.min(mark, maxIterations - 2));
}

/**
 * Warnings whose threshold is crossed and whose limit is not. They stay until the limit is reached:
 * the caller posts each once.
 */
export function warnings(state: AgentState): LimitWarning[] {
  return [
    warnOfIterations(state),
    warnOfTokens(state),
    warnOfTime(state),
    warnOfCost(state),
  ].filter((warning) => warning !== undefined);
}

/** Usage against a limit, in whole seconds for the time. */
export function measure(state: AgentState, type: LimitMetadata['limit_type']): LimitMetadata {
  const { config } = state;
  const [current, limit] = {
    iteration: [state.turn, config.maxIterations] as const,
    token: tokensOfLimit(state),
    timeout: [Math.floor(state.elapsedSeconds), config.timeoutSeconds] as const,
    cost: [round(state.cost?.usedUsd ?? 0), state.cost?.limitUsd ?? 0] as const,
  }[type];
  const percent = Math.floor((current * 100) / limit);
  return { current_value: current, limit_value: limit, percent, limit_type: type };
}

/** Whether the session's token budget is nearer to its end than the turn's. */
export function isSessionBudget({ session, tokenPercent }: AgentState): boolean {
  return session !== undefined && (session.usedTokens * 100) / session.limitTokens > tokenPercent;
}

function tokensOfLimit(state: AgentState): readonly [number, number] {
  const { session, tokensUsed, config } = state;
  return session !== undefined && isSessionBudget(state)
    ? [session.usedTokens, session.limitTokens]
    : [tokensUsed, config.tokenBudget];
}

/** `40,000/50,000` */
export function fraction({ current_value, limit_value }: LimitMetadata): string {
  return `${current_value.toLocaleString('en-US')}/${limit_value.toLocaleString('en-US')}`;
}

function warnOfIterations(state: AgentState): LimitWarning | undefined {
  const warnAt = iterationWarnAt(state.config);
  const { turn, config } = state;
  if (warnAt === undefined || turn < warnAt || turn >= config.maxIterations) return undefined;
  const metadata = measure(state, 'iteration');
  const text = `Approaching iteration limit (${fraction(metadata)}). Consider wrapping up your response.`;
  return { kind: 'iteration-limit', text, metadata };
}

function warnOfTokens(state: AgentState): LimitWarning | undefined {
  const [used, limit] = tokensOfLimit(state);
  if (used * 100 < state.config.tokenWarningPercent * limit || used >= limit) return undefined;
  const metadata = measure(state, 'token');
  const text = `Approaching token budget (${fraction(metadata)} tokens). Consider being more concise.`;
  return { kind: 'token-limit', text, metadata };
}

/** Rounds to a hundredth of a cent. */
function round(usd: number): number {
  return Math.round(usd * 10_000) / 10_000;
}

function warnOfCost(state: AgentState): LimitWarning | undefined {
  if (state.cost === undefined) return undefined;
  const percent = (state.cost.usedUsd * 100) / state.cost.limitUsd;
  if (percent < state.config.tokenWarningPercent || percent >= 100) return undefined;
  const metadata = measure(state, 'cost');
  const text = `Approaching cost limit ($${metadata.current_value}/$${metadata.limit_value}). Consider wrapping up your response.`;
  return { kind: 'cost-limit', text, metadata };
}

function warnOfTime(state: AgentState): LimitWarning | undefined {
  const { elapsedSeconds, config } = state;
  const percent = (elapsedSeconds * 100) / config.timeoutSeconds;
  if (percent < config.softWarningPercent || percent >= 100) return undefined;
  const metadata = measure(state, 'timeout');
  const text = `Approaching time limit (${fraction(metadata)} seconds). Consider wrapping up your response.`;
  return { kind: 'time-limit', text, metadata };
}
