import type { Of, ResponseEventBody } from './response-event.js';
import type { McpCallItem } from './response-item.js';
import {
  addItem,
  endItem,
  goOn,
  type Encoded,
  type OpenCall,
  type ResponsesState,
} from './responses-state.js';
import { printJson } from '../../../platform/exact-json.js';

/** Calls that the server runs. */

/**
 * A call begins: its item has the whole input. Nothing of a call is sent before, as a call that the model asked
 * for may be refused, be asked about or be taken back.
 */
export function startCall(before: ResponsesState, id: string, event: Of<'tool.started'>): Encoded {
  const { callId, name, input } = event;
  // The call runs again after a takeover.
  if (before.calls.has(callId)) return { state: before, events: [] };
  const given = printJson(input ?? {});
  const item = openItem(before, callId, { id, name, given });
  const { index, state, events } = addItem(before, item);
  const calls = new Map(state.calls).set(callId, { name, arguments: given, index });
  const place = { item_id: id, output_index: index };
  return {
    state: { ...state, calls },
    events: [
      ...events,
      { type: 'response.mcp_call.in_progress', ...place },
      { type: 'response.mcp_call_arguments.done', ...place, arguments: given },
    ],
  };
}

/** A call ends: also one that never began, or began in an earlier response. */
export function endCall(before: ResponsesState, id: string, event: Of<'tool.ended'>): Encoded {
  const { callId, name, status, output } = event;
  const begun = before.calls.get(callId);
  if (begun?.index === undefined) {
    const given = begun?.arguments ?? '{}';
    const item = openItem(before, callId, { id, name, given });
    const added = addItem(before, item);
    const calls = new Map(added.state.calls);
    calls.set(callId, { name, arguments: given, index: added.index });
    return goOn({ state: { ...added.state, calls }, events: added.events }, (state) =>
      endCall(state, id, event),
    );
  }
  const result: Partial<McpCallItem> =
    status === 'success' ? { status: 'completed', output } : { status: 'failed', error: output };
  const type = status === 'success' ? 'response.mcp_call.completed' : 'response.mcp_call.failed';
  return closeCall(before, { callId, call: begun, result, type });
}

/** Calls that go on beyond the response, or ended with their turn. */
export function giveUpCalls(before: ResponsesState): Encoded {
  const open = [...before.calls].filter(([, { index }]) => index !== undefined);
  return open.reduce<Encoded>(
    (encoded, [callId, call]) =>
      goOn(encoded, (state) =>
        closeCall(state, { callId, call, result: { status: 'incomplete' }, type: undefined }),
      ),
    { state: before, events: [] },
  );
}

interface Closing {
  callId: string;
  call: OpenCall;
  result: Partial<McpCallItem>;
  type: 'response.mcp_call.completed' | 'response.mcp_call.failed' | undefined;
}

function closeCall(before: ResponsesState, { callId, call, result, type }: Closing): Encoded {
  const { index = -1 } = call;
  const begun = before.items[index]?.item;
  if (begun?.type !== 'mcp_call') throw new Error(`The call ${callId} has no item`);
  const calls = new Map(before.calls);
  calls.delete(callId);
  const done = endItem({ ...before, calls }, index, { ...begun, ...result });
  const ended: ResponseEventBody[] =
    type === undefined ? [] : [{ type, item_id: begun.id, output_index: index }];
  return { state: done.state, events: [...ended, ...done.events] };
}

function openItem(
  { approved }: ResponsesState,
  callId: string,
  { id, name, given }: { id: string; name: string; given: string },
): McpCallItem {
  return {
    type: 'mcp_call',
    id,
    server_label: 'turnpike',
    name,
    arguments: given,
    status: 'in_progress',
    output: null,
    error: null,
    approval_request_id: approved.get(callId) ?? null,
  };
}
