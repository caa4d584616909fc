import type { AiSdkChunk, Of } from './ai-sdk-chunk.js';
import { parseJson, printJson } from '../../../platform/exact-json.js';
import { describeQuestion } from './ai-sdk-data.js';

interface OpenCall {
  name: string;
  /** Whether a person was asked about the call, and has answered. */
  question: 'none' | 'open' | 'decided';
  /** The question, where one was asked. */
  asked?: Of<'approval.requested'>;
  /** Whether the client runs the call. */
  isClient: boolean;
  /** The parent's step, where a subagent's question is shown in the parent's message. */
  step: number;
  /** Whether a person denied the call. */
  isDeclined: boolean;
  /** Whether the client gave the call's output, and so has it. */
  isAnswered: boolean;
}

/** Calls without a result, by id. */
export type AiSdkCalls = ReadonlyMap<string, OpenCall>;

type CallChunks = { calls: AiSdkCalls; chunks: AiSdkChunk[] };

/**
 * The marks of a call that the server runs: `dynamic`, as clients have no type for the tool, and
 * `providerExecuted`, so that clients neither run the call nor wait for it.
 */
const ofServer = { providerExecuted: true, dynamic: true } as const;

export function requestCall(
  calls: AiSdkCalls,
  { callId: toolCallId, name, step }: Of<'tool.requested'>,
  isClient: boolean,
): CallChunks {
  const asked = { question: 'none', isDeclined: false, isAnswered: false } as const;
  const call = { name, isClient, step, ...asked };
  const start = { type: 'tool-input-start' as const, toolCallId, toolName: name };
  return {
    calls: new Map(calls).set(toolCallId, call),
    chunks: [isClient ? start : { ...start, ...ofServer }],
  };
}

export function growInput(
  calls: AiSdkCalls,
  { callId: toolCallId, json }: Of<'tool.args.delta'>,
): AiSdkChunk[] {
  if (!calls.has(toolCallId) || json === '') return [];
  return [{ type: 'tool-input-delta', toolCallId, inputTextDelta: json }];
}

/** The input of a client's tool came with its question. */
export function startCall(calls: AiSdkCalls, event: Of<'tool.started'>): AiSdkChunk[] {
  const { callId: toolCallId, name: toolName, input } = event;
  if (calls.get(toolCallId)?.isClient === true) return [];
  return [{ type: 'tool-input-available', toolCallId, toolName, input, ...ofServer }];
}

/**
 * A question. A client's tool runs once the client has its whole input. Any other call loses the
 * mark of a server's call: the helpers that send a message once it is complete would otherwise not
 * wait for the answer. Its input is sent as text for that, as only then no client takes it for a
 * call to run.
 */
export function askAboutCall(
  calls: AiSdkCalls,
  event: Of<'approval.requested'>,
  step: number,
): CallChunks {
  const { callId: toolCallId, name: toolName, kind } = event;
  const isClient = kind === 'client-tool';
  const known = calls.get(toolCallId);
  const fresh = { name: toolName, step, isDeclined: false, isAnswered: false };
  const call: OpenCall = { ...fresh, ...known, isClient, question: 'open', asked: event };
  return { calls: new Map(calls).set(toolCallId, call), chunks: describeAsked(event) };
}

function describeAsked(event: Of<'approval.requested'>): AiSdkChunk[] {
  const { callId: toolCallId, approvalId, name: toolName, input, kind } = event;
  if (kind === 'client-tool') {
    return [{ type: 'tool-input-available', toolCallId, toolName, input, providerExecuted: false }];
  }
  const start = { toolCallId, toolName, providerExecuted: false, dynamic: true } as const;
  return [
    { type: 'tool-input-start', ...start },
    { type: 'tool-input-delta', toolCallId, inputTextDelta: printJson(input ?? {}) },
    { type: 'tool-approval-request', toolCallId, approvalId },
  ];
}

/** Calls that a person or the client was asked about. */
export function askedCalls(calls: AiSdkCalls): ReadonlySet<string> {
  return new Set([...calls].flatMap(([id, { asked }]) => (asked === undefined ? [] : id)));
}

/**
 * A chunk of a message that asks again what an earlier one asked. Clients look for a call from their first message
 * on: in the later one, it and its approval have ids of their own, with the message's suffix.
 */
export function renameCall(chunk: AiSdkChunk, isAsked: (id: string) => boolean, suffix: string) {
  if (chunk.type === 'data-approval') {
    const { toolCallId } = chunk.data as { toolCallId: string };
    if (!isAsked(toolCallId)) return chunk;
    const data = { ...Object(chunk.data), toolCallId: toolCallId + suffix };
    return { ...chunk, id: `${chunk.id}${suffix}`, data };
  }
  if (!('toolCallId' in chunk) || !isAsked(chunk.toolCallId)) return chunk;
  const toolCallId = chunk.toolCallId + suffix;
  if (chunk.type !== 'tool-approval-request') return { ...chunk, toolCallId };
  return { ...chunk, toolCallId, approvalId: chunk.approvalId + suffix };
}

/** An id without the suffix of the message that asked again. */
export function askedFirst(id: string): string {
  return id.replace(/:msg_[\w-]+$/, '');
}

/** The open questions once more, in a step of a message of their own: clients answer in their last message. */
export function askAgain(calls: AiSdkCalls): AiSdkChunk[] {
  const open = [...calls.values()].flatMap(({ question, asked }) =>
    question === 'open' && asked !== undefined ? [asked] : [],
  );
  const asked = open.flatMap((event) => [...describeAsked(event), describeQuestion(event)]);
  return [{ type: 'start-step' }, ...asked, { type: 'finish-step' }];
}

/** @param answered approvals that the client of this stream answered. */
export function noteDecision(
  calls: AiSdkCalls,
  { callId, approvalId, decision }: Of<'approval.resolved'>,
  answered: readonly string[],
): AiSdkCalls {
  const call = calls.get(callId);
  if (call === undefined) return calls;
  return new Map(calls).set(callId, {
    ...call,
    question: 'decided',
    isDeclined: decision === 'deny',
    isAnswered: decision === 'answer' && answered.includes(approvalId),
  });
}

export function endCall(before: AiSdkCalls, event: Of<'tool.ended'>): CallChunks {
  const { callId: toolCallId, name: toolName } = event;
  const call = before.get(toolCallId);
  const calls = new Map(before);
  calls.delete(toolCallId);
  if (call?.isClient === true) return { calls, chunks: endOfClients(call, event) };
  // A call that was never named cannot have an output.
  const chunks: AiSdkChunk[] =
    call === undefined
      ? [{ type: 'tool-input-available', toolCallId, toolName, input: {}, ...ofServer }]
      : [];
  const { status, output } = event;
  if (status === 'success') {
    chunks.push({ type: 'tool-output-available', toolCallId, output, ...ofServer });
  } else if (status === 'denied' && call?.isDeclined === true) {
    chunks.push({ type: 'tool-output-denied', toolCallId });
  } else {
    chunks.push({ type: 'tool-output-error', toolCallId, errorText: output, ...ofServer });
  }
  return { calls, chunks };
}

/** An output that the client gave is not sent back to it: the server has it as text only. */
function endOfClients({ isAnswered }: OpenCall, event: Of<'tool.ended'>): AiSdkChunk[] {
  const { callId: toolCallId, status, output } = event;
  if (isAnswered) return [];
  if (status !== 'success') return [{ type: 'tool-output-error', toolCallId, errorText: output }];
  return [{ type: 'tool-output-available', toolCallId, output: parseOutput(output) }];
}

/** A list or an object that a client gave was stored as its JSON. */
function parseOutput(output: string): unknown {
  if (!/^[[{]/.test(output)) return output;
  try {
    return parseJson(output);
  } catch {
    return output;
  }
}

const HELD = 'It goes on once the open questions are answered.';

/**
 * Open calls that no person is to answer are sent as done while the turn waits, until their output
 * replaces it. The package's helper that sends a message once its approvals are answered waits for
 * every call of the step, also for calls that run only after the answers.
 */
export function parkCalls(calls: AiSdkCalls): AiSdkChunk[] {
  const open = [...calls];
  if (!open.some(([, { question, isClient }]) => question === 'open' && !isClient)) return [];
  return open.flatMap(([toolCallId, { question, isClient }]): AiSdkChunk[] => {
    // The output of a client's tool comes from the client: nothing is sent in its place.
    if (question === 'open' || (question === 'decided' && isClient)) return [];
    // The mark of a server's call keeps the client from sending this back as its own tool's output.
    const mark = isClient ? { providerExecuted: true as const } : ofServer;
    return [{ type: 'tool-output-available', toolCallId, output: HELD, ...mark }];
  });
}

/** Ends calls without further events, so that no client waits for them. */
export function giveUpCalls(
  before: AiSdkCalls,
  errorText: string,
  which: (call: OpenCall) => boolean = () => true,
): CallChunks {
  const calls = new Map(before);
  const chunks: AiSdkChunk[] = [];
  for (const [toolCallId, call] of before) {
    if (!which(call)) continue;
    calls.delete(toolCallId);
    const mark = call.isClient ? {} : ofServer;
    chunks.push({ type: 'tool-output-error', toolCallId, errorText, ...mark });
  }
  return { calls, chunks };
}
