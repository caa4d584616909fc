import { close, textId } from './ag-ui-speech.js';
import {
  by,
  remember,
  say,
  show,
  type Of,
  type OpenCall,
  type Speaker,
  type Told,
} from './ag-ui-state.js';

/** The tool whose input is the session's list. */
const TODO_TOOL = 'todo_write';

export function requestCall(told: Told, speaker: Speaker, event: Of<'tool.requested'>): Told {
  const { callId: id, name, step } = event;
  const calls = [...told.state.calls, { id, name, hasArguments: false, input: undefined }];
  return say(remember(close(told, speaker, 'text', 'reasoning'), { calls }), {
    type: 'TOOL_CALL_START',
    toolCallId: id,
    toolCallName: name,
    parentMessageId: textId(speaker, step),
    ...by(speaker),
  });
}

export function growCall(told: Told, speaker: Speaker, event: Of<'tool.args.delta'>): Told {
  const { callId, json } = event;
  if (!isOpen(told, callId)) return told;
  const grown = change(told, callId, { hasArguments: true });
  return say(grown, { type: 'TOOL_CALL_ARGS', toolCallId: callId, delta: json, ...by(speaker) });
}

/** Its arguments are whole: where none were said, all of them are now. */
export function completeCall(
  told: Told,
  speaker: Speaker,
  { callId, name, input }: { callId: string; name: string; input: unknown },
): Told {
  const call = told.state.calls.find(({ id }) => id === callId);
  const known = change(told, callId, { input });
  if (call?.hasArguments === true) return endArguments(known, speaker, callId);
  const isAgain = !isOpen(known, callId);
  // Ended without arguments, with the run before this one.
  const parentMessageId =
    known.state.messages.find(({ toolCalls }) => toolCalls?.some(({ id }) => id === callId))?.id ??
    callId;
  const start = { type: 'TOOL_CALL_START', toolCallId: callId, toolCallName: name } as const;
  const begun = isAgain ? say(known, { ...start, parentMessageId, ...by(speaker) }) : known;
  const whole = say(change(begun, callId, { hasArguments: true }), {
    type: 'TOOL_CALL_ARGS',
    toolCallId: callId,
    delta: JSON.stringify(input ?? {}),
    ...by(speaker),
  });
  return endArguments(whole, speaker, callId);
}

/** The client has the output of its own tool: it is not said again. */
export function endCall(told: Told, speaker: Speaker, event: Of<'tool.ended'>): Told {
  const { callId, name, status, output, durationMs } = event;
  const call = told.state.calls.find(({ id }) => id === callId);
  const calls = told.state.calls.filter((one) => one !== call);
  const ended = remember(endArguments(told, speaker, callId), { calls });
  if (ended.state.answeredCalls.includes(callId)) return ended;
  const said = say(ended, {
    type: 'TOOL_CALL_RESULT',
    messageId: `${callId}-result`,
    toolCallId: callId,
    content: output,
    metadata: { turnpike: { status, durationMs } },
    ...by(speaker),
  });
  const isList = name === TODO_TOOL && status === 'success' && speaker.subagentRunId === undefined;
  return isList ? show(said, { todos: todosOf(call) }) : said;
}

function todosOf(call: OpenCall | undefined): unknown {
  return (call?.input as { todos?: unknown } | undefined)?.todos ?? null;
}

function endArguments(told: Told, speaker: Speaker, callId: string): Told {
  if (!isOpen(told, callId)) return told;
  return say(told, { type: 'TOOL_CALL_END', toolCallId: callId, ...by(speaker) });
}

function isOpen({ state }: Told, callId: string): boolean {
  return state.open.some(({ kind, id }) => kind === 'call' && id === callId);
}

function change(told: Told, callId: string, more: Partial<OpenCall>): Told {
  const calls = told.state.calls.map((call) => (call.id === callId ? { ...call, ...more } : call));
  return remember(told, { calls });
}
