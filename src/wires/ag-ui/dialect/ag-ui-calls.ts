import { close, textId } from './ag-ui-speech.js';
import {
  by,
  remember,
  addEvents,
  show,
  type Of,
  type OpenCall,
  type Speaker,
  type Encoded,
} from './ag-ui-state.js';
import { printJson } from '../../../platform/exact-json.js';

/** The tool whose input is the session's list. */
export const TODO_TOOL = 'todo_write';

export function requestCall(
  encoded: Encoded,
  speaker: Speaker,
  event: Of<'tool.requested'>,
): Encoded {
  const { callId: id, name, step } = event;
  const calls = [...encoded.state.calls, { id, name, hasArguments: false, input: undefined }];
  return addEvents(remember(close(encoded, speaker, 'text', 'reasoning'), { calls }), {
    type: 'TOOL_CALL_START',
    toolCallId: id,
    toolCallName: name,
    parentMessageId: textId(speaker, step),
    ...by(speaker),
  });
}

export function growCall(
  encoded: Encoded,
  speaker: Speaker,
  event: Of<'tool.args.delta'>,
): Encoded {
  const { callId, json } = event;
  if (!isOpen(encoded, callId)) return encoded;
  const grown = change(encoded, callId, { hasArguments: true });
  return addEvents(grown, {
    type: 'TOOL_CALL_ARGS',
    toolCallId: callId,
    delta: json,
    ...by(speaker),
  });
}

/** A call's arguments are whole: where none were sent, all of them are now. */
export function completeCall(
  encoded: Encoded,
  speaker: Speaker,
  { callId, name, input }: { callId: string; name: string; input: unknown },
): Encoded {
  const call = encoded.state.calls.find(({ id }) => id === callId);
  const known = change(encoded, callId, { input });
  if (call?.hasArguments === true) return endArguments(known, speaker, callId);
  const isAgain = !isOpen(known, callId);
  // Ended without arguments, with the run before this one.
  const parentMessageId =
    known.state.messages.find(({ toolCalls }) => toolCalls?.some(({ id }) => id === callId))?.id ??
    callId;
  const start = { type: 'TOOL_CALL_START', toolCallId: callId, toolCallName: name } as const;
  const begun = isAgain ? addEvents(known, { ...start, parentMessageId, ...by(speaker) }) : known;
  const whole = addEvents(change(begun, callId, { hasArguments: true }), {
    type: 'TOOL_CALL_ARGS',
    toolCallId: callId,
    delta: printJson(input ?? {}),
    ...by(speaker),
  });
  return endArguments(whole, speaker, callId);
}

/** A client's own output is not sent back to it. */
export function endCall(encoded: Encoded, speaker: Speaker, event: Of<'tool.ended'>): Encoded {
  const { callId, name, status, output, durationMs } = event;
  const call = encoded.state.calls.find(({ id }) => id === callId);
  const calls = encoded.state.calls.filter((one) => one !== call);
  const ended = remember(endArguments(encoded, speaker, callId), { calls });
  if (ended.state.answeredCalls.includes(callId)) return ended;
  const result = addEvents(ended, {
    type: 'TOOL_CALL_RESULT',
    messageId: `${callId}-result`,
    toolCallId: callId,
    content: output,
    metadata: { turnpike: { status, durationMs } },
    ...by(speaker),
  });
  const isList = name === TODO_TOOL && status === 'success' && speaker.subagentRunId === undefined;
  return isList ? show(result, { todos: todosOf(call) }) : result;
}

function todosOf(call: OpenCall | undefined): unknown {
  return (call?.input as { todos?: unknown } | undefined)?.todos ?? null;
}

function endArguments(encoded: Encoded, speaker: Speaker, callId: string): Encoded {
  if (!isOpen(encoded, callId)) return encoded;
  return addEvents(encoded, { type: 'TOOL_CALL_END', toolCallId: callId, ...by(speaker) });
}

function isOpen({ state }: Encoded, callId: string): boolean {
  return state.open.some(({ kind, id }) => kind === 'call' && id === callId);
}

function change(encoded: Encoded, callId: string, more: Partial<OpenCall>): Encoded {
  const calls = encoded.state.calls.map((call) =>
    call.id === callId ? { ...call, ...more } : call,
  );
  return remember(encoded, { calls });
}
