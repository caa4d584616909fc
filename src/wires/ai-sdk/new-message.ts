import { createHash } from 'node:crypto';
import type { FileUIPart, UIMessage } from 'ai';
import { cleanName } from '../../attachments/file-limits.js';
import { fileIdInUrl } from '../../attachments/stored-files.js';
import { invalidRequest } from '../../errors/typed-error.js';
import { printJson } from '../../platform/exact-json.js';
import { isPlainObject } from '../../platform/json.js';
import type { ToldTurn } from '../../turn/submit/turn-submission.js';
import type { WireMessage } from '../conversation/conversations.js';
import { type WireFile, parseDataUrl } from '../conversation/inline-files.js';
import {
  argumentsOf,
  missingFile,
  tellHistory,
  type HistoryItem,
} from '../conversation/client-history.js';
import type { SentMessage } from './check-messages.js';

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
  const files = pieces.filter((piece) => typeof piece !== 'string');
  const texts = pieces.filter((piece) => typeof piece === 'string');
  const text = texts.filter((one) => one !== '').join('\n\n');
  if (text.trim() === '' && files.length === 0) {
    const last = from + messages.length - 1;
    throw invalidRequest(`'messages[${last}]' says nothing: send text or a file in it`);
  }
  return { text, files };
}

/** What the application says beside the user, in messages of the role `system`; undefined: nothing. */
export function readInstructions(messages: readonly SentMessage[]): string | undefined {
  const said = messages
    .filter(({ role }) => role === 'system')
    .flatMap((message) => partsOf(message).flatMap((part) => textOf(part) || []));
  return said.length === 0 ? undefined : said.join('\n\n');
}

/**
 * The conversation before the new message, for a server that has none of it. It is read as far as it can be: other
 * servers and other versions wrote it.
 *
 * @returns undefined where there is none.
 */
export function readHistory(
  before: readonly SentMessage[],
): (() => ToldTurn<WireFile>[]) | undefined {
  const told = before.filter(({ role }) => role === 'user' || role === 'assistant');
  return told.length === 0 ? undefined : () => tellHistory(told.flatMap(readTold));
}

/** Thinking, sources and parts of the application's own are no part of what is told. */
function readTold(message: SentMessage): HistoryItem[] {
  const { role, id } = message;
  const parts = partsOf(message);
  if (role === 'user') {
    const said = parts.flatMap((part) =>
      part['type'] === 'file' ? readToldFile(part) : textOf(part) || [],
    );
    const clientId = typeof id === 'string' && id !== '' ? id : undefined;
    return said.length === 0 ? [] : [{ kind: 'user', said, clientId }];
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
      const { call, output } = readToldCall(part, type);
      items.push(...call);
      outputs.push(...output);
    } else if (textOf(part) !== '') items.push({ kind: 'reply', text: textOf(part) });
  }
  return [...items, ...outputs];
}

function readToldCall(
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

function readToldFile(part: Record<string, unknown>): string | WireFile {
  const { name, url } = nameFile(part);
  const id = fileIdInUrl(url);
  if (id !== undefined) return { id };
  if (!/^data:/i.test(url)) return missingFile(name, 'its bytes were not sent');
  const data = parseDataUrl(url);
  return data === undefined
    ? missingFile(name, 'its data: URL cannot be read')
    : { name, bytes: data.bytes };
}

function nameFile({ url, filename }: Record<string, unknown>): { name: string; url: string } {
  const name = cleanName(typeof filename === 'string' ? filename : undefined);
  return { name, url: typeof url === 'string' ? url : '' };
}

/** Idempotency key of a message; an id of the client's may be of any length. */
export function keyOfMessage(messageId: string): string {
  return `ai-sdk:${createHash('sha256').update(messageId).digest('hex')}`;
}

function readFile({ url, filename }: FileUIPart, at: string): WireFile {
  const id = fileIdInUrl(url);
  if (id !== undefined) return { id };
  if (!/^data:/i.test(url)) {
    throw invalidRequest(
      `'${at}.url' is no data: URL, and this server does not fetch files: send the file's content as one, or give the agent a tool that reads the address`,
    );
  }
  const data = parseDataUrl(url);
  if (data === undefined) {
    throw invalidRequest(`'${at}.url' cannot be read: send data:<type>;base64,<content>`);
  }
  return { name: cleanName(filename), bytes: data.bytes };
}
