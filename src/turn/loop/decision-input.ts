import { changeState, moveTime } from '../../governance/decision-tree/agent-state.js';
import type { AgentConfig } from '../../storage/shapes/stored-options.js';
import type { DayBudget } from '../../governance/limits/day-budget.js';
import type { OwnEnd } from '../../governance/limits/limit-reached.js';
import {
  isKnownReason,
  limitOf,
  type LimitReason,
} from '../../governance/limits/termination-checks.js';
import { assertNever } from '../../platform/assert-never.js';
import { findLastCall } from './last-call.js';
import type { DecisionInput, NextLimit } from './next-action.js';
import { findOutput } from './output-object.js';
import { openCalls, type Progress, type Attempt } from '../state/attempt.js';
import type { AttemptContext } from '../state/attempt-context.js';

/**
 * The limit that keeps a turn from another model call, if there is one. Call it when every result
 * of the last step is in.
 */
function findLimit({
  tree,
  progress,
  clock,
}: Attempt): LimitReason | DayBudget | OwnEnd | undefined {
  const { state, steps } = progress;
  const { reason, explanation } = tree.shouldContinue(moveTime(state, clock.now()));
  if (isKnownReason(reason)) {
    const limit = limitOf(reason);
    if (limit !== undefined) return limit;
  } else if (reason !== 'continue') {
    return { reason, explanation: explanation ?? `the agent's rules ended the turn (${reason})` };
  }
  // The last reply had no more tokens than the budget left.
  const last = steps.at(-1);
  return last?.stopReason === 'max_tokens' ? last.clampedBy : undefined;
}

type DecidedRun = Attempt & Pick<AttemptContext, 'conversation' | 'output'>;

/** The facts that `nextAction` decides from. */
export async function decisionInput(given: DecidedRun): Promise<DecisionInput> {
  const output = given.output && (await findOutput(given.progress, given.output));
  const run = output === undefined || output.type === 'valid' ? given : goingOn(given);
  const lastCall = findLastCall(run);
  const found = findLimit(run);
  // A reply that was cut by the budget leaves the last call that is kept.
  const limit = lastCall?.isDone === false && found === lastCall.limit ? undefined : found;
  return {
    steps: run.progress.steps.length,
    stopReason: run.progress.steps.at(-1)?.stopReason,
    openCalls: openCalls(run.progress).length,
    canShorten: run.conversation.canShorten && isFirstCut(run.progress),
    unanswered: countUnanswered(run),
    limit: limit === undefined ? undefined : describe(run, limit),
    output,
    lastCall: lastCall && { limit: describe(run, lastCall.limit), isDone: lastCall.isDone },
  };
}

/** A run whose model is not done after all: its limits are those of one that goes on. */
function goingOn<T extends Attempt>(run: T): T {
  const state = changeState(run.progress.state, { hasFinished: false });
  return { ...run, progress: { ...run.progress, state } };
}

/** A message that was delivered to a call whose attempt died waits for the next call. */
function countUnanswered({ lease, progress: { steps, steered } }: Attempt): number {
  const last = steps.at(-1)?.step ?? 0;
  return Math.max(0, lease.steered - steered.filter(({ afterStep }) => afterStep < last).length);
}

/** A window that is full again after it was shortened is full. */
function isFirstCut({ steps }: Progress): boolean {
  return steps.filter(({ stopReason }) => stopReason === 'context_window').length === 1;
}

function describe({ tree }: Attempt, limit: LimitReason | DayBudget | OwnEnd): NextLimit {
  if (typeof limit === 'object') {
    return { reason: limit.reason, refusal: limit.explanation, explanation: limit.explanation };
  }
  return { reason: limit, refusal: describeLimit(limit, tree.getConfig()) };
}

function describeLimit(limit: LimitReason | DayBudget, config: AgentConfig): string {
  switch (limit) {
    case 'max_turns':
      return `the turn reached its limit of ${config.maxIterations} model calls`;
    case 'token_budget':
      return Number.isFinite(config.tokenBudget)
        ? `the turn used up its budget of ${config.tokenBudget} tokens`
        : 'the session used up its budget of tokens';
    case 'cost_budget':
      return 'the turn reached its limit of cost';
    case 'daily_token_budget':
      return "the user's budget of tokens for today is used up";
    case 'daily_cost_budget':
      return "the user's limit of cost for today is reached";
    case 'timeout':
      return `the turn reached its time limit of ${config.timeoutSeconds} seconds`;
    case 'no_progress':
      return 'the turn made no progress';
    case 'error_limit':
      return 'too many tool calls failed one after the other';
    default:
      return assertNever(limit);
  }
}
