import type { TurnEvent } from '../../../events/turn-event.js';
import { assertNever } from '../../../platform/assert-never.js';
import type { Dialect } from '../../framing/dialect.js';
import { discardText, growText, sentSoFar } from '../../framing/sent-text.js';
import {
  completeArgs,
  discardCalls,
  endCall,
  growArgs,
  startCall,
  type AgentCalls,
} from './holodeck-calls.js';
import { endEvents } from './holodeck-end.js';
import type { AgentFrame, AgentAnswerIds, HolodeckNotice } from './holodeck-event.js';
import { agentStart, type AgentState } from './holodeck-state.js';

type Encoded = { state: AgentState; events: AgentFrame[] };

/**
 * The holodeck wire (contract: holodeck, its seed): seven events, and `message_reset`, which is ours.
 * `stream_start` is the first one, once; `stream_end` or `error` is always the last one, and every
 * call that began has ended before.
 */
export function namedAgentsDialect(ids: AgentAnswerIds): Dialect<AgentState> {
  return {
    name: 'holodeck',
    initial: agentStart,
    encode: (before, event) => {
      const { state, events } = encodeForAgent(ids, before, event);
      return {
        state,
        frames: events.map(({ event: name, data }) => ({
          event: name,
          data: JSON.stringify(data),
        })),
      };
    },
  };
}

/** Encodes an event as events of the holodeck wire. Pure. */
export function encodeForAgent(ids: AgentAnswerIds, before: AgentState, event: TurnEvent): Encoded {
  const encoded = encodeEvent(ids, before, event);
  if (before.hasBegun) return encoded;
  const { sessionId: session_id, messageId: message_id } = ids;
  const start: AgentFrame = { event: 'stream_start', data: { session_id, message_id } };
  return { state: { ...encoded.state, hasBegun: true }, events: [start, ...encoded.events] };
}

function encodeEvent(ids: AgentAnswerIds, state: AgentState, event: TurnEvent): Encoded {
  switch (event.type) {
    case 'text.delta':
      return encodeAs({ ...state, text: growText(state.text, event) }, [
        { event: 'message_delta', data: { delta: event.text, message_id: ids.messageId } },
      ]);
    case 'source.cited':
      return encodeAs({ ...state, sources: [...state.sources, event] });
    case 'tool.requested':
      return withCalls(state, startCall(state.calls, event, ids.messageId));
    case 'tool.args.delta':
      return withCalls(state, growArgs(state.calls, event));
    case 'tool.started':
      return withCalls(state, completeArgs(state.calls, event));
    case 'tool.ended':
      return withCalls(state, endCall(state.calls, event));
    case 'step.discarded':
      return discardStep(ids, state, event.step);
    case 'notice.posted': {
      const { kind, text, metadata } = event;
      return note(state, { kind, text, metadata });
    }
    case 'attachment.rejected': {
      const { name, reason, index } = event;
      const metadata = index === undefined ? undefined : { name, index };
      return note(state, { kind: 'file-rejected', text: `${name}: ${reason}`, metadata });
    }
    case 'turn.failed':
      return encodeAs({ ...state, failure: event });
    case 'turn.ended':
      return encodeAs({ ...state, calls: [] }, endEvents(ids, state, event));
    // The wire has no word for these.
    case 'turn.queued':
    case 'turn.started':
    case 'turn.recovering':
    case 'step.started':
    case 'step.ended':
    case 'thinking.delta':
    case 'tool.progress':
    case 'approval.requested':
    case 'approval.resolved':
    case 'turn.parked':
    case 'message.joined':
    case 'subagent.started':
    case 'subagent.told':
    case 'subagent.ended':
      return encodeAs(state);
    default:
      return assertNever(event);
  }
}

function encodeAs(state: AgentState, events: AgentFrame[] = []): Encoded {
  return { state, events };
}

function withCalls(
  state: AgentState,
  followed: { calls: AgentCalls; events: AgentFrame[] },
): Encoded {
  return encodeAs({ ...state, calls: followed.calls }, followed.events);
}

function note(state: AgentState, notice: HolodeckNotice): Encoded {
  return encodeAs({ ...state, notices: [...state.notices, notice] });
}

/**
 * A discarded step's calls are ended, so that none stays open, and the text that stays is sent as a
 * whole. Also where the log has nothing of the step: a client may have more than a log that lost
 * its tail.
 */
function discardStep({ messageId }: AgentAnswerIds, state: AgentState, step: number): Encoded {
  const { calls, events } = discardCalls(state.calls, step);
  const text = discardText(state.text, step);
  const sources = state.sources.filter((cited) => cited.step !== step);
  const reset: AgentFrame = {
    event: 'message_reset',
    data: { message_id: messageId, content: sentSoFar(text) },
  };
  return encodeAs({ ...state, calls, text, sources }, [...events, reset]);
}
