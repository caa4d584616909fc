import type { AgentFrame, Of } from './holodeck-event.js';
import { printJson } from '../../../platform/exact-json.js';

/** A call that was started and has no end yet. */
interface OpenCall {
  id: string;
  step: number;
  hasArgs: boolean;
}

export type AgentCalls = readonly OpenCall[];

type CallEvents = { calls: AgentCalls; events: AgentFrame[] };

export function startCall(
  calls: AgentCalls,
  { callId: id, name, step }: Of<'tool.requested'>,
  messageId: string,
): CallEvents {
  return {
    calls: [...calls, { id, step, hasArgs: false }],
    events: [{ event: 'tool_call_start', data: { tool_call_id: id, name, message_id: messageId } }],
  };
}

export function growArgs(calls: AgentCalls, event: Of<'tool.args.delta'>): CallEvents {
  return addArgs(calls, event.callId, event.json);
}

/** A call's input is whole: it is sent at once where nothing of it was sent before. */
export function completeArgs(calls: AgentCalls, { callId, input }: Of<'tool.started'>): CallEvents {
  return lacksArgs(calls, callId)
    ? addArgs(calls, callId, printJson(input ?? {}))
    : { calls, events: [] };
}

/** A call that was answered without being run has arguments, too: its fragments are JSON. */
export function endCall(calls: AgentCalls, { callId, status }: Of<'tool.ended'>): CallEvents {
  const args = lacksArgs(calls, callId) ? addArgs(calls, callId, '{}').events : [];
  const ended = calls.filter(({ id }) => id === callId);
  const outcome = status === 'success' ? status : 'error';
  return {
    calls: calls.filter(({ id }) => id !== callId),
    events: [...args, ...ended.map(({ id }) => callEnd(id, outcome))],
  };
}

/** Ends the calls of a discarded step as errors: none of them was run, or will be. */
export function discardCalls(calls: AgentCalls, step: number): CallEvents {
  const kept = calls.filter((call) => call.step !== step);
  const gone = calls.filter((call) => call.step === step);
  return { calls: kept, events: abandonCalls(gone) };
}

/** The ends of calls without further events. */
export function abandonCalls(calls: AgentCalls): AgentFrame[] {
  return calls.map(({ id }) => callEnd(id, 'error'));
}

function lacksArgs(calls: AgentCalls, callId: string): boolean {
  return calls.some(({ id, hasArgs }) => id === callId && !hasArgs);
}

function addArgs(calls: AgentCalls, id: string, json: string): CallEvents {
  if (json === '') return { calls, events: [] };
  return {
    calls: calls.map((call) => (call.id === id ? { ...call, hasArgs: true } : call)),
    events: [{ event: 'tool_call_args', data: { tool_call_id: id, args_delta: json } }],
  };
}

function callEnd(id: string, status: 'success' | 'error'): AgentFrame {
  return { event: 'tool_call_end', data: { tool_call_id: id, status } };
}
