import type { RunAgentInputSchema } from '@ag-ui/core/schemas';
import type { z } from 'zod';
import { cleanName, fileIdInUrl } from '../../attachments/face.js';
import { invalidRequest, TypedError } from '../../errors/typed-error.js';
import { isBase64, isPlainObject, printJson } from '../../platform/face.js';
import { type AnswerInput, checkAnswerCount, type ClientTurn } from '../../turn/face.js';
import type { WireMessage } from '../chat/conversations.js';
import { joinPieces, type WireFile } from '../chat/inline-files.js';
import {
  argumentsOf,
  missingFile,
  parseArguments,
  turnsOfHistory,
  type HistoryItem,
} from '../chat/client-history.js';
import { describeIssue } from '../chat/describe-issue.js';
import { answerInput, type WireAnswers } from '../chat/questions.js';
import { toMediaParts } from './thread-history.js';
import type { AgUiMessage } from './dialect/ag-ui-frames.js';

type Message = CheckedRun['messages'][number];
type Context = CheckedRun['context'][number];
type UserContent = Extract<Message, { role: 'user' }>['content'];
type ContentPart = Exclude<UserContent, string>[number];

/**
 * The new message of the user: all user messages after the assistant's last one.
 *
 * @param fresh the messages after the assistant's last one.
 * @param from index of the first of them in the client's list.
 * @returns undefined where the user's text is empty.
 * @throws TypedError INVALID_REQUEST 400; ATTACHMENT_FAILURE 400 for a file whose bytes did not
 * come.
 */
export function readRunMessage(fresh: readonly Message[], from: number): WireMessage | undefined {
  const pieces = fresh.flatMap((message, index) => {
    if (message.role !== 'user') return [];
    const { content } = message;
    const field = `messages[${from + index}].content`;
    return typeof content === 'string'
      ? [content]
      : content.map((part, at) => readPart(part, `${field}[${at}]`));
  });
  const { text, files } = joinPieces<WireFile>(pieces);
  if (text.trim() === '' && files.length === 0) return undefined;
  const [clientId, ...more] = fresh.flatMap(({ role, id }) => (role === 'user' ? id : []));
  const body = { text, files };
  // Several messages become one, which none of their ids stands for.
  return more.length > 0 ? body : { ...body, clientId };
}

/**
 * What the application says beside the user: its messages of `system` and `developer`, and a section for each part of
 * the context; undefined: nothing.
 */
export function readInstructions(
  messages: readonly AgUiMessage[],
  context: readonly Context[],
): string | undefined {
  const texts = messages.filter(isOfApplication).map(({ content }) => contentText(content));
  const sections = context.map(({ description, value }) => `## ${description}\n\n${value}`);
  const all = [...texts, ...sections].filter((one) => one.trim() !== '');
  return all.length === 0 ? undefined : all.join('\n\n');
}

/**
 * The conversation before the new message, for a server that has none of it. It is read as far as it can be: other
 * servers and other versions wrote it.
 *
 * @param from index of the first message after the assistant's last one.
 * @returns undefined where there is none.
 */
export function readHistory(
  messages: readonly AgUiMessage[],
  from: number,
): (() => ClientTurn<WireFile>[]) | undefined {
  const before = messages.filter(
    (message, index) => !isOfApplication(message) && (index < from || message.role !== 'user'),
  );
  return before.length === 0 ? undefined : () => turnsOfHistory(before.flatMap(toHistoryItems));
}

const isOfApplication = ({ role }: AgUiMessage): boolean =>
  role === 'system' || role === 'developer';

/** Thinking and activities of a page are no part of the history. */
function toHistoryItems(message: AgUiMessage): HistoryItem[] {
  const { role, id: clientId, content } = message;
  if (role === 'user') {
    const parts = Array.isArray(content) ? (toMediaParts(message).content as unknown[]) : [content];
    const userContent = parts.map(contentOf).filter((one) => one !== '');
    return userContent.length === 0 ? [] : [{ kind: 'user', content: userContent, clientId }];
  }
  if (role === 'tool') {
    const { toolCallId: callId, error }: Record<string, unknown> = { ...message };
    if (typeof callId !== 'string') return [];
    return [{ kind: 'output', callId, ...outputOf(content, error) }];
  }
  if (role !== 'assistant') return [];
  const text = contentText(content);
  const { toolCalls } = message;
  const calls = Array.isArray(toolCalls) ? (toolCalls as unknown[]).flatMap(readCall) : [];
  return [...(text.trim() === '' ? [] : [{ kind: 'reply' as const, text }]), ...calls];
}

function readCall(call: unknown): HistoryItem[] {
  const { id: callId, function: asked } = isPlainObject(call) ? call : {};
  const { name, arguments: given } = isPlainObject(asked) ? asked : {};
  if (typeof callId !== 'string' || typeof name !== 'string') return [];
  const input = typeof given === 'string' ? parseArguments(given) : argumentsOf(given);
  return [{ kind: 'call', call: { callId, name, input, output: undefined } }];
}

function contentOf(part: unknown): string | WireFile {
  if (typeof part === 'string') return part;
  if (!isPlainObject(part)) return '';
  const { type, text, source, metadata } = part;
  if (type === 'text') return typeof text === 'string' ? text : '';
  const name = nameOf(metadata);
  const { type: kind, value } = isPlainObject(source) ? source : {};
  if (typeof value !== 'string') return missingFile(name, 'its part cannot be read');
  const id = kind === 'url' ? fileIdInUrl(value) : undefined;
  if (id !== undefined) return { id };
  if (kind !== 'data') return missingFile(name, 'its bytes were not sent');
  return isBase64(value)
    ? { name, bytes: Buffer.from(value, 'base64') }
    : missingFile(name, 'it is not base64');
}

function readPart(part: ContentPart, field: string): string | WireFile {
  if (part.type === 'text') return part.text;
  const { source, metadata } = part;
  const id = source.type === 'url' ? fileIdInUrl(source.value) : undefined;
  if (id !== undefined) return { id };
  if (source.type !== 'data') throw notSent(`${field}.source`, source.type);
  const { value } = source;
  if (!isBase64(value)) throw invalidRequest(`'${field}.source.value' is not base64`);
  return { name: nameOf(metadata), bytes: Buffer.from(value, 'base64') };
}

function nameOf(metadata: unknown): string {
  const { filename, name } = isPlainObject(metadata) ? metadata : {};
  return cleanName([filename, name].find((one) => typeof one === 'string'));
}

function notSent(field: string, type: string): TypedError {
  return new TypedError('ATTACHMENT_FAILURE', {
    message: `'${field}' is of the type ${type}, and this server fetches no files. Send the bytes: {"type":"data","value":"<base64>","mimeType":"…"}, or give the agent a tool that reads the address.`,
    details: { field },
  });
}

/** A body that the protocol's own schema takes. */
export type CheckedRun = z.output<typeof RunAgentInputSchema>;

/**
 * Checks a body by the protocol's own schema, with some of its messages alone. Null counts as absent.
 *
 * @param from index of the first of these messages in the client's list.
 * @throws TypedError INVALID_REQUEST 400 that says which field is wrong, and what it should be.
 */
export async function checkRun(
  body: Record<string, unknown>,
  messages: readonly AgUiMessage[],
  from: number,
): Promise<CheckedRun> {
  // The schemas take 18 MB: a server without clients of the protocol does not load them.
  const [{ omitOptionalNulls }, { RunAgentInputSchema }] = await Promise.all([
    import('@ag-ui/core'),
    import('@ag-ui/core/schemas'),
  ]);
  const sent = { ...body, messages: messages.map(toMediaParts) };
  const { error, data } = RunAgentInputSchema.safeParse(omitOptionalNulls(sent, 'RunAgentInput'));
  if (error === undefined) return data;
  throw invalidRequest(describeIssue(error.issues, { messages: from }));
}

type ToolMessage = Extract<Message, { role: 'tool' }>;
type ResumeEntry = NonNullable<CheckedRun['resume']>[number];

/**
 * Answers of a run to the questions of the run before: entries of `resume`, and outputs in the tools'
 * messages.
 *
 * @throws TypedError INVALID_REQUEST 400.
 */
export function readAnswers(
  resume: readonly ResumeEntry[],
  fresh: readonly Message[],
): WireAnswers {
  const outputs = fresh.flatMap((message) =>
    message.role === 'tool' ? [{ callId: message.toolCallId, given: readOutput(message) }] : [],
  );
  checkAnswerCount(resume.length + outputs.length);
  return { decisions: resume.map(readEntry), outputs };
}

function readEntry(
  { interruptId: approvalId, status, payload }: ResumeEntry,
  index: number,
): WireAnswers['decisions'][number] {
  if (status === 'cancelled') {
    return { approvalId, mayBeLate: true, given: answerInput('deny') };
  }
  const given = readPayload(payload, `resume[${index}].payload`);
  return { approvalId, given };
}

/** An answer in the words of an interrupt's `responseSchema`, which is ours. */
function readPayload(payload: unknown, field: string): AnswerInput {
  const { approved, accepted, reason, editedArgs, content } = isPlainObject(payload) ? payload : {};
  const isApproved = approved ?? accepted;
  if (typeof isApproved !== 'boolean') {
    throw invalidRequest(
      `'${field}.approved' must be true or false; beside it may be 'reason' and 'editedArgs'`,
    );
  }
  if (reason !== undefined && typeof reason !== 'string') {
    throw invalidRequest(`'${field}.reason' must be text`);
  }
  // A denied call does not run: edited arguments have no use.
  if (!isApproved) return answerInput('deny', { message: reason });
  if (content !== undefined) return answerInput('answer', { content });
  return answerInput('approve', { input: editedArgs });
}

function readOutput({ content, error }: ToolMessage): AnswerInput {
  const { text, isError } = outputOf(content, error);
  return answerInput('answer', { output: text, isError });
}

/** What a tool's message gave. */
function outputOf(content: unknown, error: unknown): { text: string; isError: boolean } {
  const text = contentText(content);
  if (typeof error !== 'string' || error === '') return { text, isError: false };
  return { text: [error, text].filter((one) => one !== '').join('\n\n'), isError: true };
}

/** The text of a message; parts that are no text are in it as their JSON. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const parts = (content as unknown[]).map((part) =>
    isPlainObject(part) && typeof part['text'] === 'string' ? part['text'] : printJson(part),
  );
  return parts.join('\n\n');
}
