import type { TurnEvent } from '../../../events/turn-event.js';
import { assertNever } from '../../../platform/assert-never.js';
import {
  askAboutCall,
  endCall,
  growInput,
  noteDecision,
  requestCall,
  startCall,
  type AiSdkCalls,
} from './ai-sdk-calls.js';
import type { AiSdkChunk, Of } from './ai-sdk-chunk.js';
import { describeDecision, describeProgress, describeQuestion } from './ai-sdk-data.js';
import type { AiSdkRange, AiSdkState } from './ai-sdk-state.js';
import { noteCall } from './ai-sdk-step.js';
import { beginSubagent, endSubagent, followSubagent } from './ai-sdk-subagents.js';

type Encoded = { state: AiSdkState; chunks: AiSdkChunk[] };

type CallEvent = Of<
  | 'tool.requested'
  | 'tool.args.delta'
  | 'tool.started'
  | 'tool.progress'
  | 'tool.ended'
  | 'approval.requested'
  | 'approval.resolved'
>;

export function encodeCall(
  { clientTools, answered, from }: AiSdkRange,
  state: AiSdkState,
  event: CallEvent,
): Encoded {
  switch (event.type) {
    case 'tool.requested': {
      const noted = noteCall(state.step, event.callId);
      const isClient = clientTools.includes(event.name);
      const encoded = withCalls(
        { ...state, step: noted.step },
        requestCall(state.calls, event, isClient),
      );
      return { ...encoded, chunks: [...noted.chunks, ...encoded.chunks] };
    }
    case 'tool.args.delta':
      return { state, chunks: growInput(state.calls, event) };
    case 'tool.started':
      return { state, chunks: startCall(state.calls, event) };
    case 'tool.progress':
      return { state, chunks: [describeProgress(event)] };
    case 'tool.ended':
      return withCalls(state, endCall(state.calls, event));
    case 'approval.requested': {
      const encoded = withCalls(state, askAboutCall(state.calls, event, state.step.step));
      return { ...encoded, chunks: [...encoded.chunks, describeQuestion(event)] };
    }
    case 'approval.resolved': {
      // A client that follows the turn from its start builds its message without any calls.
      const known = from === 'answers' ? answered : [];
      const calls = noteDecision(state.calls, event, known);
      return { state: { ...state, calls }, chunks: [describeDecision(event)] };
    }
    default:
      return assertNever(event);
  }
}

/**
 * A subagent is one part that shows how far it is. Its questions are answered like the turn's own: a
 * call that asks is shown in the message, from its question to its result.
 */
export function encodeSubagent(
  range: AiSdkRange,
  before: AiSdkState,
  event: Of<'subagent.told'>,
): Encoded {
  const { subagents, chunks } = followSubagent(before.subagents, event);
  const state = { ...before, subagents };
  const inside = encodeInside(range, state, event.childTurnId, event.event);
  return { state: inside.state, chunks: [...chunks, ...inside.chunks] };
}

function encodeInside(
  range: AiSdkRange,
  state: AiSdkState,
  childTurnId: string,
  event: TurnEvent,
): Encoded {
  if (event.type === 'approval.requested') {
    const shown = ofChild(childTurnId, event);
    const noted = noteCall(state.step, shown.callId);
    const asked = encodeCall(range, { ...state, step: noted.step }, shown);
    return { ...asked, chunks: [...noted.chunks, ...asked.chunks] };
  }
  if (isOfCall(event)) {
    const shown = ofChild(childTurnId, event);
    return state.calls.has(shown.callId) ? encodeCall(range, state, shown) : { state, chunks: [] };
  }
  if (event.type === 'subagent.told') return encodeSubagent(range, state, event);
  if (event.type === 'subagent.started' || event.type === 'subagent.ended') {
    return encodeSpan(state, event);
  }
  return { state, chunks: [] };
}

/** The start or end of a subagent, of the turn itself or of another subagent. */
export function encodeSpan(
  state: AiSdkState,
  event: Of<'subagent.started' | 'subagent.ended'>,
): Encoded {
  const { subagents, chunks } =
    event.type === 'subagent.started'
      ? beginSubagent(state.subagents, event)
      : endSubagent(state.subagents, event);
  return { state: { ...state, subagents }, chunks };
}

function isOfCall(
  event: TurnEvent,
): event is Of<'approval.resolved' | 'tool.started' | 'tool.ended'> {
  return ['approval.resolved', 'tool.started', 'tool.ended'].includes(event.type);
}

/** Calls of different turns may have the same id. */
function ofChild<E extends { callId: string }>(childTurnId: string, event: E): E {
  return { ...event, callId: `${childTurnId}:${event.callId}` };
}

function withCalls(
  state: AiSdkState,
  { calls, chunks }: { calls: AiSdkCalls; chunks: AiSdkChunk[] },
): Encoded {
  return { state: { ...state, calls }, chunks };
}
