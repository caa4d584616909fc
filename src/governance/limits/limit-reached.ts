import { assertNever } from '../../platform/assert-never.js';
import type { AgentState } from '../decision-tree/agent-state.js';
import { fraction, isSessionBudget, measure, type LimitMetadata } from './limit-warnings.js';
import { findNoProgress, type NoProgress } from './no-progress.js';
import { errorLimit, type LimitReason } from './termination-checks.js';

export interface LimitReached {
  kind: 'limit-reached' | 'no-progress' | 'error-limit';
  text: string;
  metadata:
    | LimitMetadata
    | { reason: string }
    | { repeated_action: string }
    | { error_count: number; last_error: string };
}

/** An end for a reason of the decision tree's own. */
export interface OwnEnd {
  /** The reason's identifier. */
  reason: string;
  /** A clause for people, without its full stop. */
  explanation: string;
}

/** The notice of an end for a tree's own reason. */
export function ownEndReached({ reason, explanation }: OwnEnd): LimitReached {
  return { kind: 'limit-reached', text: `Stopped: ${explanation}.`, metadata: { reason } };
}

const tooLittle = 'not enough for another reply';

/** Limits that leave a last call, without tools, for an answer from the work so far. */
export type LastCallLimit = Extract<LimitReason, 'max_turns' | 'token_budget'>;

/**
 * The notice to model and client before the last call inside a limit.
 *
 * @param state of the iteration that begins, with the call's expected usage counted.
 */
export function lastCall(reason: LastCallLimit, state: AgentState): LimitReached {
  const metadata = reached(state, reason === 'max_turns' ? 'iteration' : 'token');
  const what =
    reason === 'max_turns'
      ? `Maximum iterations reached (${fraction(metadata)})`
      : `Token budget reached (${fraction(metadata)} tokens; what is left is for one reply)`;
  const text = `${what}. This is the last reply, and no tool can be called any more: answer now with what you have.`;
  return { kind: 'limit-reached', text, metadata };
}

/** The notice to the client when a limit ends the loop. */
export function limitReached(reason: LimitReason, state: AgentState): LimitReached {
  switch (reason) {
    case 'max_turns': {
      const metadata = reached(state, 'iteration');
      const text = `Maximum iterations reached (${fraction(metadata)}). Saving partial response.`;
      return { kind: 'limit-reached', text, metadata };
    }
    case 'token_budget': {
      const metadata = reached(state, 'token');
      const left = hasLeft(reason, state) ? `; what is left is ${tooLittle}` : '';
      const name = isSessionBudget(state) ? "Session's token budget" : 'Token budget';
      const text = `${name} reached (${fraction(metadata)} tokens${left}). Saving partial response.`;
      return { kind: 'limit-reached', text, metadata };
    }
    case 'cost_budget': {
      const metadata = reached(state, 'cost');
      const { current_value: used, limit_value: limit } = metadata;
      const left = hasLeft(reason, state) ? `; what is left is ${tooLittle}` : '';
      const text = `Cost limit reached ($${used}/$${limit}${left}). Saving partial response.`;
      return { kind: 'limit-reached', text, metadata };
    }
    case 'timeout': {
      const metadata = reached(state, 'timeout');
      const text = `Time limit reached (${fraction(metadata)} seconds). Saving partial response.`;
      return { kind: 'limit-reached', text, metadata };
    }
    case 'no_progress': {
      const found = noProgressOf(state);
      const text = `No progress detected - ${describeRepetition(found)}. Terminating to prevent infinite loop.`;
      return { kind: 'no-progress', text, metadata: { repeated_action: listActions(found) } };
    }
    case 'error_limit': {
      const { toolErrors, lastError = '' } = state;
      const text = `Multiple consecutive errors (${toolErrors}/${errorLimit}). Terminating with partial results.`;
      const metadata = { error_count: toolErrors, last_error: lastError };
      return { kind: 'error-limit', text, metadata };
    }
    default:
      return assertNever(reason);
  }
}

/**
 * The sentences that close the final answer, in brackets.
 *
 * @param hasText whether the answer has other text.
 */
export function endNote(reason: LimitReason, state: AgentState, hasText = true): string {
  return noteOf(explain(reason, state), hasText);
}

/** The closing sentences of an end for a tree's own reason. */
export function ownEndNote({ explanation }: OwnEnd, hasText: boolean): string {
  return noteOf(explanation, hasText);
}

function noteOf(why: string, hasText: boolean): string {
  const found = hasText ? ' What was found so far is above.' : ' There is no answer yet.';
  return `[Stopped: ${why.replace(/[.\s]+$/, '')}.${found}]`;
}

/** A budget without headroom for a reply counts as reached, however little was used. */
function reached(state: AgentState, type: LimitMetadata['limit_type']): LimitMetadata {
  const metadata = measure(state, type);
  return { ...metadata, percent: Math.max(100, metadata.percent) };
}

function explain(reason: LimitReason, state: AgentState): string {
  const { maxIterations, timeoutSeconds } = state.config;
  switch (reason) {
    case 'max_turns':
      return `the limit of ${maxIterations} ${maxIterations === 1 ? 'iteration' : 'iterations'} was reached`;
    case 'token_budget':
      return hasLeft(reason, state)
        ? `what is left of the ${nameBudget(state)} is ${tooLittle}`
        : `the ${nameBudget(state)} was used up`;
    case 'cost_budget':
      return hasLeft(reason, state)
        ? `what is left of the limit of $${state.cost?.limitUsd ?? 0} is ${tooLittle}`
        : `the limit of $${state.cost?.limitUsd ?? 0} was reached`;
    case 'timeout':
      return `the time limit of ${timeoutSeconds} seconds was reached`;
    case 'no_progress': {
      const found = noProgressOf(state);
      return `no progress was made, because ${describeRepetition(found)}. Attempted: ${listActions(found)}`;
    }
    case 'error_limit':
      return `${state.toolErrors} tool calls in a row failed, the last one with: ${state.lastError ?? 'no message'}`;
    default:
      return assertNever(reason);
  }
}

/** `budget of 50,000 tokens` */
function nameBudget(state: AgentState): string {
  const count = measure(state, 'token').limit_value.toLocaleString('en-US');
  return `${isSessionBudget(state) ? "session's " : ''}budget of ${count} tokens`;
}

/** Whether the budget has a rest: loops end before a call that could overrun their budget. */
function hasLeft(reason: 'token_budget' | 'cost_budget', state: AgentState): boolean {
  if (reason === 'token_budget') {
    const { current_value: used, limit_value: limit } = measure(state, 'token');
    return used < limit;
  }
  return state.cost !== undefined && state.cost.usedUsd < state.cost.limitUsd;
}

/**
 * The loop that made no progress. A custom tree may see one where these rules do not: its last
 * action is named then.
 */
function noProgressOf(state: AgentState): NoProgress {
  const last = state.actions.at(-1);
  return (
    findNoProgress(state.actions) ?? {
      kind: 'repeat',
      actions: [last?.action ?? 'no tool call'],
      times: 1,
    }
  );
}

function describeRepetition({ kind, actions, times }: NoProgress): string {
  if (kind === 'cycle') return `the same ${actions.length} actions kept following each other`;
  if (kind === 'error') return `the same error came ${times} times`;
  const what = actions.length > 1 ? 'actions were' : 'action was';
  return times > 1 ? `the same ${what} attempted ${times} times` : 'nothing new came of the work';
}

/** Three actions at most: a step may have had twenty calls. */
function listActions({ actions }: NoProgress): string {
  const more = actions.length - 3;
  return actions.slice(0, 3).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
