import { createHash } from 'node:crypto';
import type { FileUIPart, UIMessage } from 'ai';
import { cleanName, fileIdInUrl } from '../../attachments/face.js';
import { invalidRequest } from '../../errors/typed-error.js';
import { isPlainObject, printJson } from '../../platform/face.js';
import { checkAnswerCount, type ClientTurn } from '../../turn/face.js';
import type { WireMessage } from '../chat/conversations.js';
import { joinPieces, parseDataUrl, type WireFile } from '../chat/inline-files.js';
import {
  argumentsOf,
  missingFile,
  turnsOfHistory,
  type HistoryItem,
} from '../chat/client-history.js';
import { describeIssue } from '../chat/describe-issue.js';
import { answerInput, type WireAnswers } from '../chat/questions.js';
import { originalId } from './dialect/ai-sdk-calls.js';

/**
 * Joins user messages to one: their texts and files; other parts are the application's own. Pure.
 *
 * @param from index of the first of them in the client's list.
 * @throws TypedError INVALID_REQUEST 400.
 */
export function readUserMessage(messages: readonly UIMessage[], from: number): WireMessage {
  const pieces = messages.flatMap(({ parts }, index) =>
    parts.flatMap((part, at): (string | WireFile)[] => {
      if (part.type === 'text') return [part.text];
      return part.type === 'file' ? [readFile(part, `messages[${from + index}].parts[${at}]`)] : [];
    }),
  );
  const { text, files } = joinPieces<WireFile>(pieces);
  if (text.trim() === '' && files.length === 0) {
    const last = from + messages.length - 1;
    throw invalidRequest(`'messages[${last}]' has neither text nor a file: send one of them`);
  }
  return { text, files };
}

/** What the application says beside the user, in messages of the role `system`; undefined: nothing. */
export function readInstructions(messages: readonly SentMessage[]): string | undefined {
  const texts = messages
    .filter(({ role }) => role === 'system')
    .flatMap((message) => partsOf(message).flatMap((part) => textOf(part) || []));
  return texts.length === 0 ? undefined : texts.join('\n\n');
}

/**
 * The conversation before the new message, for a server that has none of it. It is read as far as it can be: other
 * servers and other versions wrote it.
 *
 * @returns undefined where there is none.
 */
export function readHistory(
  before: readonly SentMessage[],
): (() => ClientTurn<WireFile>[]) | undefined {
  const conversation = before.filter(({ role }) => role === 'user' || role === 'assistant');
  return conversation.length === 0
    ? undefined
    : () => turnsOfHistory(conversation.flatMap(toHistoryItems));
}

/** Thinking, sources and parts of the application's own are no part of the history. */
function toHistoryItems(message: SentMessage): HistoryItem[] {
  const { role, id } = message;
  const parts = partsOf(message);
  if (role === 'user') {
    const content = parts.flatMap((part) =>
      part['type'] === 'file' ? readHistoryFile(part) : textOf(part) || [],
    );
    const clientId = typeof id === 'string' && id !== '' ? id : undefined;
    return content.length === 0 ? [] : [{ kind: 'user', content, clientId }];
  }
  const isVoid = voidParts(message);
  const items: HistoryItem[] = [];
  let outputs: HistoryItem[] = [];
  for (const part of parts.filter((one) => !isVoid(one))) {
    const type = String(part['type']);
    // The outputs of a step follow all of its calls.
    if (type === 'step-start') {
      items.push(...outputs);
      outputs = [];
    } else if (type === 'file') {
      const { name } = nameFile(part);
      items.push({ kind: 'reply', text: `[The file ${name}, which is not shown again]` });
    } else if (type === 'dynamic-tool' || type.startsWith('tool-')) {
      const { call, output } = readHistoryCall(part, type);
      items.push(...call);
      outputs.push(...output);
    } else if (textOf(part) !== '') items.push({ kind: 'reply', text: textOf(part) });
  }
  return [...items, ...outputs];
}

function readHistoryCall(
  part: Record<string, unknown>,
  type: string,
): { call: HistoryItem[]; output: HistoryItem[] } {
  const { toolCallId: callId, toolName, state, input, output, errorText, preliminary } = part;
  const name = type === 'dynamic-tool' ? toolName : type.slice('tool-'.length);
  if (typeof callId !== 'string' || typeof name !== 'string') return { call: [], output: [] };
  const asked = { callId, name, input: argumentsOf(input), output: undefined };
  const gave = (value: unknown, isError: boolean): HistoryItem[] => {
    const text = typeof value === 'string' ? value : printJson(value ?? null);
    return [{ kind: 'output', callId, text, isError }];
  };
  const given = (): HistoryItem[] => {
    if (state === 'output-error') return gave(errorText ?? 'The tool failed.', true);
    if (state === 'output-denied') return gave('The user denied this call.', true);
    return state === 'output-available' && preliminary !== true ? gave(output, false) : [];
  };
  return { call: [{ kind: 'call', call: asked }], output: given() };
}

/** Parts of a step that was taken back: see `discarded` in the metadata of answers. */
function voidParts({ metadata }: SentMessage): (part: Record<string, unknown>) => boolean {
  const { discarded } = isPlainObject(metadata) ? metadata : {};
  const ids: unknown[] = Array.isArray(discarded) ? discarded : [];
  return ({ toolCallId, providerMetadata }) => {
    const { turnpike } = isPlainObject(providerMetadata) ? providerMetadata : {};
    const { id } = isPlainObject(turnpike) ? turnpike : {};
    return ids.some((one) => one === (toolCallId ?? id));
  };
}

function partsOf({ parts }: SentMessage): Record<string, unknown>[] {
  return Array.isArray(parts) ? parts.filter(isPlainObject) : [];
}

function textOf({ type, text }: Record<string, unknown>): string {
  return type === 'text' && typeof text === 'string' && text.trim() !== '' ? text : '';
}

function readHistoryFile(part: Record<string, unknown>): string | WireFile {
  const { name, url } = nameFile(part);
  const id = fileIdInUrl(url);
  if (id !== undefined) return { id };
  if (!/^data:/i.test(url)) return missingFile(name, 'its bytes were not sent');
  const bytes = parseDataUrl(url);
  return bytes === undefined ? missingFile(name, 'its data: URL cannot be read') : { name, bytes };
}

function nameFile({ url, filename }: Record<string, unknown>): { name: string; url: string } {
  const name = cleanName(typeof filename === 'string' ? filename : undefined);
  return { name, url: typeof url === 'string' ? url : '' };
}

/** Idempotency key of a message; an id of the client's may be of any length. */
export function keyOfMessage(messageId: string): string {
  return `ai-sdk:${createHash('sha256').update(messageId).digest('hex')}`;
}

function readFile({ url, filename, providerReference }: FileUIPart, at: string): WireFile {
  if (providerReference !== undefined) {
    throw invalidRequest(
      `'${at}.providerReference' names a file that a model's provider keeps, which this server does not read: send the file's content as a data: URL, without the reference`,
    );
  }
  const id = fileIdInUrl(url);
  if (id !== undefined) return { id };
  if (!/^data:/i.test(url)) {
    throw invalidRequest(
      `'${at}.url' is not a data: URL, and this server does not fetch files: send the file's content as one, or give the agent a tool that reads the address`,
    );
  }
  const bytes = parseDataUrl(url);
  if (bytes === undefined) {
    throw invalidRequest(`'${at}.url' cannot be read: send data:<type>;base64,<content>`);
  }
  return { name: cleanName(filename), bytes };
}

/** A message as it came. */
export type SentMessage = Record<string, unknown> & { role: string };

/** @throws TypedError INVALID_REQUEST 400. */
export function readMessages(value: unknown): SentMessage[] {
  if (!Array.isArray(value)) {
    throw invalidRequest("'messages' is missing or not a list: send the messages of the chat");
  }
  return (value as unknown[]).map((message, index) => {
    if (!isPlainObject(message)) throw invalidRequest(`'messages[${index}]' must be an object`);
    const { role } = message;
    if (typeof role === 'string') return { ...message, role };
    throw invalidRequest(`'messages[${index}].role' is missing or not text`);
  });
}

/** Stands for what is not read. */
const blank = { type: 'step-start' };

/**
 * Checks messages by the package's own schema, as far as they are read: parts of other kinds, from newer
 * packages or from applications, stand as blanks, and so do messages of other roles. Null counts as absent,
 * and so does what an answer does not need.
 *
 * @param from index of the first of these messages in the client's list.
 * @param isRead whether a part of a type, at an index, is read.
 * @throws TypedError INVALID_REQUEST 400 that says which field is wrong.
 */
export async function checkMessages(
  messages: readonly SentMessage[],
  { role, from }: { role: UIMessage['role']; from: number },
  isRead: (type: string, index: number) => boolean,
): Promise<UIMessage[]> {
  const sent = messages.map((message, index) => {
    const { id } = message;
    const parts = message.role === role ? readParts(message, from + index) : [];
    const read = parts.map((part, at) => {
      const type = isPlainObject(part) ? part['type'] : undefined;
      return typeof type === 'string' && !isRead(type, at) ? blank : complete(part);
    });
    return {
      id: typeof id === 'string' ? id : '',
      role,
      parts: read.length === 0 ? [blank] : read,
    };
  });
  // The package takes 4 MB: a server without clients of the protocol does not load it.
  const [{ safeValidateUIMessages }, { ZodError }] = await Promise.all([
    import('ai'),
    import('zod'),
  ]);
  const checked = await safeValidateUIMessages({ messages: sent });
  if (checked.success) return checked.data;
  const { cause } = checked.error;
  if (!(cause instanceof ZodError)) throw checked.error;
  const issues = cause.issues.map((issue) => ({ ...issue, path: ['messages', ...issue.path] }));
  const advice =
    role === 'assistant'
      ? ". An answer has the 'id' of the request and 'approved': use addToolApprovalResponse"
      : '';
  throw invalidRequest(describeIssue(issues, { messages: from }) + advice);
}

/** Types of parts that the package has for answers; in a message of the user they say nothing. */
const ofAnswers: ReadonlySet<string> = new Set([
  'reasoning',
  'reasoning-file',
  'custom',
  'source-url',
  'source-document',
  'step-start',
  'steering-message',
  'dynamic-tool',
]);

/**
 * Refuses parts of users' messages that would be lost. Those of the application's own, `data-…`, are for itself.
 *
 * @param from index of the first of these messages in the client's list.
 * @throws TypedError INVALID_REQUEST 400 that says which part.
 */
export function refuseUnknownParts(messages: readonly SentMessage[], from: number): void {
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'user' || !Array.isArray(message['parts'])) continue;
    for (const [at, part] of (message['parts'] as unknown[]).entries()) {
      const type = isPlainObject(part) ? part['type'] : undefined;
      if (typeof type !== 'string' || type === 'text' || type === 'file') continue;
      if (ofAnswers.has(type) || /^(?:data|tool)-/.test(type)) continue;
      throw invalidRequest(
        `'messages[${from + index}].parts[${at}].type' is '${type.slice(0, 120)}', which this server does not know: send 'text' or 'file', or name a part of your own 'data-…', which is passed over`,
      );
    }
  }
}

function readParts({ parts }: SentMessage, index: number): readonly unknown[] {
  if (Array.isArray(parts)) return parts as unknown[];
  throw invalidRequest(
    `'messages[${index}].parts' is missing or not a list: send messages as version 6 or later of the AI SDK has them`,
  );
}

/** A tool that gives nothing has ended all the same; its package leaves its output out. */
function complete(part: unknown): unknown {
  if (!isPlainObject(part)) return part;
  const { state, approval } = part;
  const sent = withoutNulls(part);
  if (state === 'approval-responded') {
    const answer = isPlainObject(approval) ? withoutNulls(approval) : approval;
    return { toolName: '', toolCallId: '', input: null, ...sent, approval: answer };
  }
  const isOutput = state === 'output-available';
  return isOutput ? { toolName: '', input: null, output: null, ...sent } : sent;
}

function withoutNulls(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

type Part = UIMessage['parts'][number];
type Decision = WireAnswers['decisions'][number];
type Output = WireAnswers['outputs'][number];

/**
 * The answers in the parts of an assistant's message.
 *
 * @throws TypedError INVALID_REQUEST 400 for too many.
 */
export function readAnswers({ parts }: UIMessage): WireAnswers {
  const given = parts.flatMap((part) => readPart(part) ?? []);
  checkAnswerCount(given.length);
  return {
    decisions: given.filter((one) => 'approvalId' in one),
    outputs: given.filter((one) => 'callId' in one),
  };
}

function readPart(part: Part): Decision | Output | undefined {
  if (!('toolCallId' in part)) return undefined;
  if (part.state === 'approval-responded') {
    const { id: approvalId, approved, reason } = part.approval;
    // The reason of an approval does not go to the model.
    const given = approved ? answerInput('approve') : answerInput('deny', { message: reason });
    return { approvalId: originalId(approvalId), given };
  }
  // Calls of the server's are marked as run by somebody else.
  if (part.providerExecuted === true) return undefined;
  const callId = originalId(part.toolCallId);
  if (part.state === 'output-available') {
    return { callId, given: answerInput('answer', { output: part.output, isError: false }) };
  }
  if (part.state !== 'output-error') return undefined;
  return { callId, given: answerInput('answer', { output: part.errorText, isError: true }) };
}
