import type { ErrorCode } from '../../errors/error-table.js';
import { TypedError } from '../../errors/typed-error.js';
import { initialTurn, foldTurn, type FoldedCall, type FoldedTurn } from '../../events/fold-turn.js';
import type { TurnEvent } from '../../events/turn-event.js';
import { isPlainObject } from '../../platform/json.js';
import { retryAdvice } from '../../platform/retry-advice.js';
import type { AnswerFold } from '../conversation/turn-streams.js';
import type { AgentAnswerEnd, AgentFrame, AgentAnswerIds } from './dialect/holodeck-event.js';
import type { Problem } from './dialect/problem.js';
import { agentStart, type AgentState } from './dialect/holodeck-state.js';
import { encodeForAgent } from './dialect/holodeck.js';
import { parseJson } from '../../platform/exact-json.js';

export interface AnsweredCall {
  name: string;
  /** Arguments of the call; left out where the model's reply was cut off in them. */
  arguments?: Record<string, unknown>;
  status: 'success' | 'error';
}

export interface ChatAnswer extends AgentAnswerEnd {
  message_id: string;
  session_id: string;
  /** Calls of the turn; left out where there were none. */
  tool_calls?: AnsweredCall[];
}

interface AgentFold {
  encoded: AgentState;
  last: AgentFrame | undefined;
  turn: FoldedTurn;
}

/**
 * Folds a turn to an answer. The end is the wire's; text and calls are the turn's, so that a step that was
 * discarded and sent again counts once. A turn that failed or was interrupted throws its end.
 */
export function agentAnswer(ids: AgentAnswerIds): AnswerFold<AgentFold, ChatAnswer> {
  return {
    initial: { encoded: agentStart, last: undefined, turn: initialTurn },
    next: ({ encoded, turn }, event) => {
      const { state, events } = encodeForAgent(ids, encoded, event);
      return { encoded: state, last: events.at(-1), turn: foldTurn(turn, event) };
    },
    end: ({ last, turn }, event) => {
      if (last?.event === 'error') throw answerFailed(last.data, codeOf(event, turn));
      const calls = turn.steps.flatMap(({ tools }) => tools.map(answeredCall));
      return toAnswer(ids, last, calls);
    },
  };
}

function toAnswer(
  { sessionId, messageId }: AgentAnswerIds,
  last: AgentFrame | undefined,
  calls: AnsweredCall[],
): ChatAnswer {
  if (last?.event !== 'stream_end') throw new Error('The turn ended without its last event');
  const { message_id: _same, ...end } = last.data;
  return {
    message_id: messageId,
    session_id: sessionId,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...end,
  };
}

function codeOf(
  { outcome }: Extract<TurnEvent, { type: 'turn.ended' }>,
  { failure }: FoldedTurn,
): ErrorCode {
  return outcome === 'interrupted' ? 'INTERRUPTED' : (failure?.errorType ?? 'SDK_FAILURE');
}

/** @param problem as the stream would have ended with it. */
function answerFailed(problem: Problem, code: ErrorCode): TypedError {
  const { status, detail: message } = problem;
  return new TypedError(code, { message, relayed: { status, ...retryAdvice(problem) } });
}

function answeredCall({ name, input, argsJson, status }: FoldedCall): AnsweredCall {
  const given = input ?? parse(argsJson);
  return {
    name,
    ...(isPlainObject(given) ? { arguments: given } : {}),
    status: status === 'success' ? 'success' : 'error',
  };
}

/** A call without input streams nothing of it. */
function parse(json: string): unknown {
  if (json === '') return {};
  try {
    return parseJson(json);
  } catch {
    return undefined;
  }
}
