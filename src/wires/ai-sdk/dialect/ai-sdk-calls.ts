import type { EventOf } from '../../../events/face.js';
import { parseJson, printJson } from '../../../platform/face.js';
import type { OpenCall, TurnView } from '../../framing/face.js';
import { describeQuestion, type AiSdkChunk } from './ai-sdk-frames.js';
import type { AiSdkVersion } from './ai-sdk-version.js';

/** Who runs a call, and who answered: a client of this stream. */
interface Client {
  clientTools: readonly string[];
  answered: readonly string[];
  from: unknown;
  version: AiSdkVersion;
}

/**
 * The marks of a call that the server runs: `dynamic`, as clients have no type for the tool, and
 * `providerExecuted`, so that clients neither run the call nor wait for it.
 */
const ofServer = { providerExecuted: true, dynamic: true } as const;

/** Whether the client runs the call; a question about it says so, and until then its tool's name. */
function isOfClient({ clientTools }: Pick<Client, 'clientTools'>, call: OpenCall): boolean {
  const { question, name } = call;
  return question === undefined ? clientTools.includes(name) : question.kind === 'client-tool';
}

/** Whether the client gave the call's output, and so has it: one that follows the turn from its start has none. */
function isAnsweredBy({ from, answered }: Client, { question, decision }: OpenCall): boolean {
  if (from !== 'answers' || decision !== 'answer' || question === undefined) return false;
  return answered.includes(question.approvalId);
}

export function requestCall(client: Client, call: OpenCall): AiSdkChunk {
  const start = {
    type: 'tool-input-start' as const,
    toolCallId: call.key,
    toolName: call.name,
  };
  return isOfClient(client, call) ? start : { ...start, ...ofServer };
}

/** The input of a client's tool came with its question. */
export function startCall(
  client: Client,
  { call, event }: { call: OpenCall; event: EventOf<'tool.started'> },
): AiSdkChunk[] {
  if (isOfClient(client, call)) return [];
  const { name: toolName, input } = event;
  return [{ type: 'tool-input-available', toolCallId: call.key, toolName, input, ...ofServer }];
}

/**
 * A question. A client's tool runs once the client has its whole input. Any other call loses the
 * mark of a server's call: the helpers that send a message once it is complete would otherwise not
 * wait for the answer. Its input is sent as text for that, as only then no client takes it for a
 * call to run.
 */
export function askAboutCall(
  client: Pick<Client, 'version'>,
  toolCallId: string,
  event: EventOf<'approval.requested'>,
): AiSdkChunk[] {
  const { name: toolName, input, kind } = event;
  const question = describeQuestion(toolCallId, event);
  const mark = { providerExecuted: false } as const;
  if (kind === 'client-tool') {
    return [{ type: 'tool-input-available', toolCallId, toolName, input, ...mark }, question];
  }
  return [
    { type: 'tool-input-start', toolCallId, toolName, ...mark, dynamic: true },
    { type: 'tool-input-delta', toolCallId, inputTextDelta: printJson(input ?? {}) },
    requestApproval(client, toolCallId, event),
    question,
  ];
}

function requestApproval(
  { version }: Pick<Client, 'version'>,
  toolCallId: string,
  { approvalId, reason }: EventOf<'approval.requested'>,
) {
  const request = { type: 'tool-approval-request' as const, toolCallId, approvalId };
  return version === '6' || reason === '' ? request : { ...request, reason };
}

/**
 * An answer that the client did not give: another client's, or nobody's. The protocol says the latter by a request
 * that asks nobody, before its answer.
 *
 * @param requested ids of approvals that the client's message asks for.
 */
export function tellAnswer(
  client: Client,
  requested: ReadonlySet<string>,
  { call, event }: { call: OpenCall | undefined; event: EventOf<'approval.resolved'> },
): AiSdkChunk[] {
  const { approvalId, decision, by, message } = event;
  const isOwn = client.from === 'answers' && client.answered.includes(approvalId);
  if (client.version === '6' || isOwn || !requested.has(approvalId)) return [];
  // A question that was closed has no answer.
  if (decision === 'cancel' || decision === 'cancelled') return [];
  const response: AiSdkChunk = {
    type: 'tool-approval-response',
    approvalId,
    approved: decision !== 'deny',
    ...(message !== undefined && { reason: message }),
  };
  if (call?.question === undefined || !nobody.has(by)) return [response];
  return [{ ...requestApproval(client, call.key, call.question), isAutomatic: true }, response];
}

/** Who decides where no person does. */
const nobody: ReadonlySet<string> = new Set(['deadline', 'server']);

/** Whether a question about the call has no answer yet. */
function isAsked({ question, decision }: OpenCall): boolean {
  return question !== undefined && decision === undefined;
}

/** Calls that a person or the client was asked about. */
export function askedCalls({ calls }: TurnView): ReadonlySet<string> {
  return new Set([...calls.values()].flatMap(({ key, question }) => (question ? key : [])));
}

/**
 * A chunk of a message that asks again what an earlier one asked. Clients look for a call from their first message
 * on: in the later one, it and its approval have ids of their own, with the message's suffix.
 */
export function renameCall(
  chunk: AiSdkChunk,
  { askedAgain, view }: { askedAgain: ReadonlySet<string>; view: TurnView },
  suffix: string,
) {
  const isAsked = (id: string): boolean => askedAgain.has(id);
  if (chunk.type === 'tool-approval-response') {
    const { approvalId } = chunk;
    const call = [...view.calls.values()].find((one) => one.question?.approvalId === approvalId);
    if (call === undefined || !isAsked(call.key)) return chunk;
    return { ...chunk, approvalId: approvalId + suffix };
  }
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
export function originalId(id: string): string {
  return id.replace(/:msg_[\w-]+$/, '');
}

/** The open questions once more, in a step of a message of their own: clients answer in their last message. */
export function askAgain(client: Pick<Client, 'version'>, { calls }: TurnView): AiSdkChunk[] {
  const asked = [...calls.values()].flatMap((call) =>
    isAsked(call) && call.question ? askAboutCall(client, call.key, call.question) : [],
  );
  return [{ type: 'start-step' }, ...asked, { type: 'finish-step' }];
}

export function endCall(
  client: Client,
  { call, event }: { call: OpenCall | undefined; event: EventOf<'tool.ended'> },
): AiSdkChunk[] {
  const { callId, name: toolName, status, output } = event;
  const toolCallId = call?.key ?? callId;
  if (call !== undefined && isOfClient(client, call)) {
    return isAnsweredBy(client, call) ? [] : [endOfClients(toolCallId, event)];
  }
  const input = inputBeforeEnd(call);
  const named: AiSdkChunk[] =
    input === undefined
      ? []
      : [{ type: 'tool-input-available', toolCallId, toolName, input, ...ofServer }];
  if (status === 'success') {
    return [...named, { type: 'tool-output-available', toolCallId, output, ...ofServer }];
  }
  if (status === 'denied' && call?.decision === 'deny') {
    return [{ type: 'tool-output-denied', toolCallId }];
  }
  return [...named, { type: 'tool-output-error', toolCallId, errorText: output, ...ofServer }];
}

/**
 * The input that goes before a call's end: of a call that was never named, as it cannot have an output otherwise, and of
 * one that rules denied before it was started. Undefined: the client has it, or it is no JSON.
 */
function inputBeforeEnd(call: OpenCall | undefined): unknown {
  if (call === undefined || (call.json === '' && !call.isWhole)) return {};
  return call.isWhole ? undefined : parseOr(call.json, undefined);
}

/** An output that the client gave is not sent back to it: the server has it as text only. */
function endOfClients(toolCallId: string, { status, output }: EventOf<'tool.ended'>): AiSdkChunk {
  return status === 'success'
    ? { type: 'tool-output-available', toolCallId, output: parseOutput(output) }
    : { type: 'tool-output-error', toolCallId, errorText: output };
}

/** A list or an object that a client gave was stored as its JSON. */
function parseOutput(output: string): unknown {
  return /^[[{]/.test(output) ? parseOr(output, output) : output;
}

function parseOr(text: string, otherwise: unknown): unknown {
  try {
    return parseJson(text);
  } catch {
    return otherwise;
  }
}

/** Ends a call without further events, so that no client waits for it. */
export function abandonCall(
  client: Client,
  view: TurnView,
  { call, why }: { call: OpenCall; why: 'discarded' | 'parked' | 'ended' },
): AiSdkChunk[] {
  if (why === 'parked') return parkCall(client, view, call);
  const errorText =
    why === 'ended'
      ? 'The turn ended before this call did.'
      : 'Not run: what asked for it was taken back.';
  const mark = isOfClient(client, call) ? {} : ofServer;
  return [{ type: 'tool-output-error', toolCallId: call.key, errorText, ...mark }];
}

const HELD = 'It goes on once the open questions are answered.';

/**
 * Open calls that no person is to answer are sent as done while the turn waits, until their output
 * replaces it. The package's helper that sends a message once its approvals are answered waits for
 * every call of the step, also for calls that run only after the answers.
 */
function parkCall(client: Client, { calls }: TurnView, call: OpenCall): AiSdkChunk[] {
  const open = [...calls.values()].filter(isAsked);
  if (open.every(({ question }) => question?.kind === 'client-tool')) return [];
  const isClient = isOfClient(client, call);
  // The output of a client's tool comes from the client: nothing is sent in its place.
  if (isAsked(call) || (isClient && call.decision !== undefined)) return [];
  // The mark of a server's call keeps the client from sending this back as its own tool's output.
  const mark = isClient ? { providerExecuted: true as const } : ofServer;
  return [{ type: 'tool-output-available', toolCallId: call.key, output: HELD, ...mark }];
}

/** Characters of a subagent's text that are shown: the newest. */
const MAX_TEXT_CHARS = 2_000;
/** Characters after which a growing text is sent again: the part is sent whole each time. */
const SAID_EVERY = 200;

interface Subagent {
  /** The `task` call that started the subagent. */
  toolCallId: string;
  name: string;
  status: 'running' | 'waiting' | 'completed' | 'limited' | 'interrupted' | 'failed';
  text: string;
  isCut: boolean;
  /** Characters of the text that were not sent yet. */
  unsent: number;
}

/** Subagents by the ids of their turns. */
export type AiSdkSubagents = ReadonlyMap<string, Subagent>;

type Encoded = { subagents: AiSdkSubagents; chunks: AiSdkChunk[] };

export function beginSubagent(
  subagents: AiSdkSubagents,
  { callId: toolCallId, childTurnId, agent: name }: EventOf<'subagent.started'>,
): Encoded {
  const begun = { toolCallId, name, status: 'running' as const, text: '', isCut: false, unsent: 0 };
  return sendAgain(subagents, childTurnId, begun);
}

/** The part that shows a subagent changes with the subagent's own events. */
export function followSubagent(
  subagents: AiSdkSubagents,
  { childTurnId, event }: EventOf<'subagent.told'>,
): Encoded {
  const before = subagents.get(childTurnId);
  if (before === undefined) return { subagents, chunks: [] };
  if (event.type === 'text.delta') {
    const grown = { ...before, ...grow(before, event.text), status: 'running' as const };
    if (grown.unsent >= SAID_EVERY) return sendAgain(subagents, childTurnId, grown);
    return { subagents: new Map(subagents).set(childTurnId, grown), chunks: [] };
  }
  const status = event.type === 'turn.parked' ? 'waiting' : 'running';
  const isWhole = event.type === 'step.ended' && before.unsent > 0;
  if (status === before.status && !isWhole) return { subagents, chunks: [] };
  return sendAgain(subagents, childTurnId, { ...before, status });
}

export function endSubagent(
  subagents: AiSdkSubagents,
  { childTurnId, outcome }: EventOf<'subagent.ended'>,
): Encoded {
  const before = subagents.get(childTurnId);
  if (before === undefined) return { subagents, chunks: [] };
  return sendAgain(subagents, childTurnId, { ...before, status: outcome });
}

function grow(before: Subagent, more: string): Pick<Subagent, 'text' | 'isCut' | 'unsent'> {
  const text = before.text + more;
  const isCut = before.isCut || text.length > MAX_TEXT_CHARS;
  // Half of a surrogate pair that was cut is left out.
  const kept = text.slice(-MAX_TEXT_CHARS).replace(/^[\uDC00-\uDFFF]/, '');
  return { text: kept, isCut, unsent: before.unsent + more.length };
}

function sendAgain(subagents: AiSdkSubagents, id: string, subagent: Subagent): Encoded {
  const { unsent: _unsent, ...data } = subagent;
  return {
    subagents: new Map(subagents).set(id, { ...subagent, unsent: 0 }),
    chunks: [{ type: 'data-subagent', id, data }],
  };
}
