import { clip, type Of, type OracleChunk } from './oracle-chunk.js';
import { printJson } from '../../../platform/exact-json.js';

const LONGEST_RESULT = 2_000;
const MOST_NAMED = 3;

interface OpenCall {
  id: string;
  name: string;
  step: number;
  order: number;
  argsJson: string;
  isRunning: boolean;
}

/** The turn's tool calls as far as later chunks need them. */
export interface OracleCalls {
  /** Calls so far: the order of the next one. */
  asked: number;
  /** Calls without a result, in the order of their requests. */
  open: readonly OpenCall[];
}

export const noCalls: OracleCalls = { asked: 0, open: [] };

type CallChunks = { calls: OracleCalls; chunks: OracleChunk[] };

export function requestCall(calls: OracleCalls, event: Of<'tool.requested'>): OracleCalls {
  const { callId: id, name, step } = event;
  const call = { id, name, step, order: calls.asked, argsJson: '', isRunning: false };
  return { asked: calls.asked + 1, open: [...calls.open, call] };
}

export function growArguments(calls: OracleCalls, event: Of<'tool.args.delta'>): OracleCalls {
  return change(calls, event.callId, (call) => ({
    ...call,
    argsJson: call.argsJson + event.json,
  }));
}

export function startCall(calls: OracleCalls, event: Of<'tool.started'>): CallChunks {
  const { callId: id, name, input } = event;
  const call = { id, name, arguments: printJson(input ?? {}), status: 'running' as const };
  return {
    calls: change(calls, id, (open) => ({ ...open, isRunning: true })),
    chunks: [{ type: 'tool_call', tool_call: call }],
  };
}

/** A call that was answered without being run is announced first: no result without its call. */
export function endCall(calls: OracleCalls, event: Of<'tool.ended'>): CallChunks {
  const { callId: id, name, status, output } = event;
  const call = calls.open.find((open) => open.id === id);
  const result: OracleChunk = {
    type: 'tool_result',
    tool_call_id: id,
    tool_result: clip(output, LONGEST_RESULT),
    metadata: { order: call?.order ?? calls.asked },
  };
  const unrun: OracleChunk = {
    type: 'tool_call',
    tool_call: {
      id,
      name,
      arguments: wholeJson(call?.argsJson ?? ''),
      status: status === 'success' ? 'completed' : 'error',
    },
  };
  return {
    calls: {
      asked: call === undefined ? calls.asked + 1 : calls.asked,
      open: calls.open.filter((open) => open !== call),
    },
    chunks: call?.isRunning === true ? [result] : [unrun, result],
  };
}

/** Drops the calls of a discarded step: none of them was run, or answered. */
export function discardCalls(calls: OracleCalls, step: number): OracleCalls {
  const open = calls.open.filter((call) => call.step !== step);
  return { asked: calls.asked - (calls.open.length - open.length), open };
}

/**
 * A heartbeat stands for all running calls: every call reports its own progress, and the oldest
 * call's is sent.
 */
export function describeRunning(calls: OracleCalls, event: Of<'tool.progress'>): OracleChunk[] {
  const running = calls.open.filter((call) => call.isRunning);
  if (running[0]?.id !== event.callId) return [];
  const names = running.slice(0, MOST_NAMED).map(({ name }) => name);
  const more = running.length > MOST_NAMED ? ` and ${running.length - MOST_NAMED} more` : '';
  const seconds = Math.round(event.elapsedMs / 1000);
  return [{ type: 'status', message: `Running: ${names.join(', ')}${more} (${seconds}s)` }];
}

function change(
  { asked, open }: OracleCalls,
  id: string,
  to: (call: OpenCall) => OpenCall,
): OracleCalls {
  return { asked, open: open.map((call) => (call.id === id ? to(call) : call)) };
}

/** Arguments that were cut off are no JSON: a client could not parse them. */
function wholeJson(json: string): string {
  try {
    JSON.parse(json);
    return json;
  } catch {
    return '{}';
  }
}
