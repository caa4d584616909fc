import type { TurnEvent } from '../../../events/turn-event.js';
import type { Of } from './response-event.js';
import {
  addItem,
  addWholeItem,
  endItem,
  goOn,
  type Encoded,
  type ResponsesState,
} from './responses-state.js';
import { printJson } from '../../../platform/exact-json.js';

/** Questions to the client: its own tools' calls, and calls that need a person. */

/** Keeps what the turn and its subagents ask, and what was answered. */
export function noteQuestion(state: ResponsesState, event: TurnEvent): ResponsesState {
  if (event.type === 'subagent.told') return noteQuestion(state, event.event);
  if (event.type === 'approval.requested') {
    return { ...state, questions: new Map(state.questions).set(event.approvalId, event) };
  }
  if (event.type !== 'approval.resolved') return state;
  const questions = new Map(state.questions);
  questions.delete(event.approvalId);
  const approved = event.decision.startsWith('approve')
    ? new Map(state.approved).set(event.callId, event.approvalId)
    : state.approved;
  return { ...state, questions, approved };
}

/**
 * The questions that the turn waits for, once it waits: an item that a client finds at the end of a response is
 * one that it is to answer. A call that was refused before anybody was asked is no item of the client's.
 */
export function askAll(before: ResponsesState): Encoded {
  return before.segment.waitsFor.reduce<Encoded>(
    (encoded, approvalId) =>
      goOn(encoded, (state) => {
        const question = state.questions.get(approvalId);
        return question === undefined ? { state, events: [] } : ask(state, question);
      }),
    { state: before, events: [] },
  );
}

function ask(before: ResponsesState, question: Of<'approval.requested'>): Encoded {
  const { approvalId, name, input, kind } = question;
  const given = printJson(input ?? {});
  if (kind === 'client-tool') return callFunction(before, { approvalId, name, given });
  return addWholeItem(before, {
    type: 'mcp_approval_request',
    id: approvalId,
    server_label: 'turnpike',
    name,
    arguments: given,
  });
}

function callFunction(
  before: ResponsesState,
  { approvalId, name, given }: { approvalId: string; name: string; given: string },
): Encoded {
  const id = `fc_${approvalId}`;
  const call = { type: 'function_call', id, call_id: approvalId, name } as const;
  const { index, state, events } = addItem(before, {
    ...call,
    arguments: '',
    status: 'in_progress',
  });
  const done = endItem(state, index, { ...call, arguments: given, status: 'completed' });
  const place = { item_id: id, output_index: index };
  return {
    state: done.state,
    events: [
      ...events,
      { type: 'response.function_call_arguments.delta', ...place, delta: given },
      { type: 'response.function_call_arguments.done', ...place, name, arguments: given },
      ...done.events,
    ],
  };
}
