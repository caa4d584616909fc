import type { TurnEvent } from '../../../events/turn-event.js';
import { isPlainObject } from '../../../platform/json.js';
import type { Of, ResponseEventBody } from './response-event.js';
import type { ResponseItem } from './response-item.js';
import {
  addItem,
  addWholeItem,
  endItem,
  goOn,
  type Encoded,
  type ResponsesState,
  type ResponseWanted,
} from './responses-state.js';
import { printJson } from '../../../platform/exact-json.js';
import { closeSpeech, growSpeech } from './responses-speech.js';

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
export function askAll(before: ResponsesState, wanted: Asked): Encoded {
  return before.segment.waitsFor.reduce<Encoded>(
    (encoded, approvalId) =>
      goOn(encoded, (state) => {
        const question = state.questions.get(approvalId);
        return question === undefined ? { state, events: [] } : ask(state, question, wanted);
      }),
    { state: before, events: [] },
  );
}

type Asked = Pick<ResponseWanted, 'customTools' | 'hidesApprovals'>;

function ask(
  before: ResponsesState,
  question: Of<'approval.requested'>,
  { customTools, hidesApprovals }: Asked,
): Encoded {
  const { approvalId, name, input, kind } = question;
  const given = printJson(input ?? {});
  if (kind === 'client-tool') {
    return customTools.includes(name)
      ? callCustom(before, { approvalId, name, given: textIn(input) })
      : callFunction(before, { approvalId, name, given });
  }
  if (hidesApprovals) return tellOf(before, { approvalId, name, given });
  return addWholeItem(before, {
    type: 'mcp_approval_request',
    id: approvalId,
    server_label: 'turnpike',
    name,
    arguments: given,
  });
}

/** An approval as text, for clients that have no other use for it: a person gives it elsewhere. */
function tellOf(before: ResponsesState, { approvalId, name, given }: ClientCall): Encoded {
  const text = `[The call ${name}(${given}) waits for an approval. Give it in the console, or send POST /api/harness/approvals/${approvalId}; the turn goes on then.]`;
  const message = { kind: 'message' as const, id: `msg_${approvalId}` };
  return goOn(growSpeech(before, message, text), (state) => closeSpeech(state));
}

interface ClientCall {
  approvalId: string;
  name: string;
  given: string;
}

function callFunction(before: ResponsesState, { approvalId, name, given }: ClientCall): Encoded {
  const id = `fc_${approvalId}`;
  const call = { type: 'function_call', id, call_id: approvalId, name } as const;
  return callClient(
    before,
    [
      { ...call, arguments: '', status: 'in_progress' },
      { ...call, arguments: given, status: 'completed' },
    ],
    (place) => [
      { type: 'response.function_call_arguments.delta', ...place, delta: given },
      { type: 'response.function_call_arguments.done', ...place, name, arguments: given },
    ],
  );
}

/** A tool that takes text is offered as one with a field `input`. */
function callCustom(before: ResponsesState, { approvalId, name, given }: ClientCall): Encoded {
  const id = `ctc_${approvalId}`;
  const call = { type: 'custom_tool_call', id, call_id: approvalId, name } as const;
  return callClient(
    before,
    [
      { ...call, input: '', status: 'in_progress' },
      { ...call, input: given, status: 'completed' },
    ],
    (place) => [
      { type: 'response.custom_tool_call_input.delta', ...place, delta: given },
      { type: 'response.custom_tool_call_input.done', ...place, input: given },
    ],
  );
}

function callClient(
  before: ResponsesState,
  [begun, ended]: [ResponseItem, ResponseItem],
  grow: (place: { item_id: string; output_index: number }) => ResponseEventBody[],
): Encoded {
  const { index, state, events } = addItem(before, begun);
  const done = endItem(state, index, ended);
  const place = { item_id: ended.id, output_index: index };
  return { state: done.state, events: [...events, ...grow(place), ...done.events] };
}

function textIn(input: unknown): string {
  const { input: text } = isPlainObject(input) ? input : {};
  return typeof text === 'string' ? text : printJson(input ?? {});
}
