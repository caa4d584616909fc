import type { TurnEvent } from '../../../events/turn-event.js';
import { assertNever } from '../../../platform/assert-never.js';
import type { Dialect } from '../../framing/dialect.js';
import {
  completeArgs,
  discardCalls,
  endCall,
  growArgs,
  startCall,
  type HolodeckCalls,
} from './holodeck-calls.js';
import { endEvents } from './holodeck-end.js';
import type { HolodeckEvent, HolodeckIds, HolodeckNotice } from './holodeck-event.js';
import { holodeckStart, type HolodeckState } from './holodeck-state.js';
import { discardText, growText, saidSoFar } from '../../framing/said-text.js';

type Told = { state: HolodeckState; events: HolodeckEvent[] };

/**
 * The holodeck wire (contract: holodeck, its seed): seven events, and `message_reset`, which is ours.
 * `stream_start` is the first one, once; `stream_end` or `error` is always the last one, and every
 * call that began has ended before.
 */
export function holodeckDialect(ids: HolodeckIds): Dialect<HolodeckState> {
  return {
    name: 'holodeck',
    initial: holodeckStart,
    encode: (before, event) => {
      const { state, events } = tellHolodeck(ids, before, event);
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
export function tellHolodeck(ids: HolodeckIds, before: HolodeckState, event: TurnEvent): Told {
  const told = tell(ids, before, event);
  if (before.hasBegun) return told;
  const { sessionId: session_id, messageId: message_id } = ids;
  const start: HolodeckEvent = { event: 'stream_start', data: { session_id, message_id } };
  return { state: { ...told.state, hasBegun: true }, events: [start, ...told.events] };
}

function tell(ids: HolodeckIds, state: HolodeckState, event: TurnEvent): Told {
  switch (event.type) {
    case 'text.delta':
      return say({ ...state, text: growText(state.text, event) }, [
        { event: 'message_delta', data: { delta: event.text, message_id: ids.messageId } },
      ]);
    case 'source.cited':
      return say({ ...state, sources: [...state.sources, event] });
    case 'tool.requested':
      return sayOfCalls(state, startCall(state.calls, event, ids.messageId));
    case 'tool.args.delta':
      return sayOfCalls(state, growArgs(state.calls, event));
    case 'tool.started':
      return sayOfCalls(state, completeArgs(state.calls, event));
    case 'tool.ended':
      return sayOfCalls(state, endCall(state.calls, event));
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
      return say({ ...state, failure: event });
    case 'turn.ended':
      return say({ ...state, calls: [] }, endEvents(ids, state, event));
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
      return say(state);
    default:
      return assertNever(event);
  }
}

function say(state: HolodeckState, events: HolodeckEvent[] = []): Told {
  return { state, events };
}

function sayOfCalls(
  state: HolodeckState,
  said: { calls: HolodeckCalls; events: HolodeckEvent[] },
): Told {
  return say({ ...state, calls: said.calls }, said.events);
}

function note(state: HolodeckState, notice: HolodeckNotice): Told {
  return say({ ...state, notices: [...state.notices, notice] });
}

/**
 * Its calls are ended, so that none stays open, and the text that stays is said as a whole. Also where
 * the log has nothing of the step: a client may have more than a log that lost its tail.
 */
function discardStep({ messageId }: HolodeckIds, state: HolodeckState, step: number): Told {
  const { calls, events } = discardCalls(state.calls, step);
  const text = discardText(state.text, step);
  const sources = state.sources.filter((cited) => cited.step !== step);
  const reset: HolodeckEvent = {
    event: 'message_reset',
    data: { message_id: messageId, content: saidSoFar(text) },
  };
  return say({ ...state, calls, text, sources }, [...events, reset]);
}
