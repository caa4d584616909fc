import { addUsage, type TurnEvent } from '../../../events/turn-event.js';
import { assertNever } from '../../../platform/assert-never.js';
import { discardText, growText } from '../../framing/sent-text.js';
import type { ResponsesState } from './responses-state.js';
import { printJson } from '../../../platform/exact-json.js';

/** What is kept of the turn, whatever is sent of it: also of events before the response. Pure. */
export function track(state: ResponsesState, event: TurnEvent): ResponsesState {
  const isBefore = state.segment.phase === 'before';
  switch (event.type) {
    case 'step.started':
      return { ...state, step: event.step };
    case 'step.discarded':
      return { ...state, step: event.step - 1, text: discardText(state.text, event.step) };
    case 'text.delta':
      return { ...state, text: growText(state.text, event) };
    case 'step.ended':
      return isBefore
        ? { ...state, usageBefore: addUsage(state.usageBefore, event.usage) }
        : { ...state, usage: addUsage(state.usage, event.usage) };
    case 'turn.failed':
      return { ...state, failure: event };
    case 'tool.started': {
      if (!isBefore) return state;
      const { callId, name, input } = event;
      const call = { name, arguments: printJson(input ?? {}), index: undefined };
      return { ...state, calls: new Map(state.calls).set(callId, call) };
    }
    case 'tool.ended': {
      if (!isBefore) return state;
      const calls = new Map(state.calls);
      calls.delete(event.callId);
      return { ...state, calls };
    }
    case 'turn.queued':
    case 'turn.started':
    case 'turn.recovering':
    case 'turn.parked':
    case 'turn.ended':
    case 'thinking.delta':
    case 'source.cited':
    case 'tool.requested':
    case 'tool.args.delta':
    case 'tool.progress':
    case 'approval.requested':
    case 'approval.resolved':
    case 'message.joined':
    case 'attachment.rejected':
    case 'notice.posted':
    case 'subagent.started':
    case 'subagent.told':
    case 'subagent.ended':
      return state;
    default:
      return assertNever(event);
  }
}
