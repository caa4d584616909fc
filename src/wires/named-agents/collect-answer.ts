import { type ErrorCode, TypedError } from '../../errors/typed-error.js';
import { isPlainObject, parseJson, retryAdvice } from '../../platform/face.js';
import type { AnswerFold, OpenCall, TurnChange } from '../framing/face.js';
import type { AgentAnswerIds, AgentFrame } from './dialect/agent-frames.js';
import { agentStart, encodeForAgent, type AgentState } from './dialect/named-agents.js';
import type { Problem } from './dialect/problem-details.js';
import type { AnsweredCallDto, ChatAnswerDto } from './named-agents.dto.js';

interface AgentFold {
  encoded: AgentState;
  last: AgentFrame | undefined;
  /** Calls that count, with their indexes: they end in any order. */
  calls: readonly { index: number; call: AnsweredCallDto }[];
}

/**
 * Folds a turn to an answer. The end is the wire's; text and calls are the turn's, so that a step that was
 * discarded and sent again counts once. A turn that failed or was interrupted throws its end.
 */
export function agentAnswer(ids: AgentAnswerIds): AnswerFold<AgentFold, ChatAnswerDto> {
  return {
    initial: { encoded: agentStart, last: undefined, calls: [] },
    next: ({ encoded, calls }, event) => {
      const { state, events, changes } = encodeForAgent(ids, encoded, event);
      const ended = changes.flatMap(answeredCalls);
      return {
        encoded: state,
        last: events.at(-1),
        calls: ended.length === 0 ? calls : [...calls, ...ended],
      };
    },
    end: ({ encoded, last, calls }, { outcome }) => {
      const { failure } = encoded.view.turn;
      const code =
        outcome === 'interrupted' ? 'INTERRUPTED' : (failure?.errorType ?? 'SDK_FAILURE');
      if (last?.event === 'error') throw answerFailed(last.data, code);
      const sorted = calls.toSorted((a, b) => a.index - b.index);
      return toAnswer(
        ids,
        last,
        sorted.map(({ call }) => call),
      );
    },
  };
}

function toAnswer(
  { sessionId, messageId }: AgentAnswerIds,
  last: AgentFrame | undefined,
  calls: AnsweredCallDto[],
): ChatAnswerDto {
  if (last?.event !== 'stream_end') throw new Error('The turn ended without its last event');
  const { message_id: _same, ...end } = last.data;
  return {
    message_id: messageId,
    session_id: sessionId,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...end,
  };
}

/** @param problem as the stream would have ended with it. */
function answerFailed(problem: Problem, code: ErrorCode): TypedError {
  const { status, detail: message } = problem;
  return new TypedError(code, { message, relayed: { status, ...retryAdvice(problem) } });
}

/** A call of the turn that has ended, or that the turn's end cut off. */
function answeredCalls(change: TurnChange): AgentFold['calls'] {
  const { owner, type } = change;
  if (owner !== undefined) return [];
  if (type === 'call.ended') {
    const { call, event } = change;
    return call === undefined ? [] : [describeCall(call, event.status === 'success')];
  }
  const isCut = type === 'call.abandoned' && change.why === 'ended';
  return isCut ? [describeCall(change.call, false)] : [];
}

function describeCall({ index, name, input, json }: OpenCall, isSuccess: boolean) {
  const given = input ?? parse(json);
  const call: AnsweredCallDto = {
    name,
    ...(isPlainObject(given) ? { arguments: given } : {}),
    status: isSuccess ? 'success' : 'error',
  };
  return { index, call };
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
