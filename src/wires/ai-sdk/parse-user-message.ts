import { createHash } from 'node:crypto';
import { cleanName } from '../../attachments/clean-name.js';
import { invalidRequest } from '../../errors/typed-error.js';
import { isPlainObject } from '../../platform/json.js';
import type { WireMessage } from '../conversation/conversations.js';
import type { InlineFile } from '../conversation/store-inline-files.js';
import type { ChatMessage } from './chat-message.js';
import { parseDataUrl } from './parse-data-url.js';

/**
 * Joins user messages to one. Pure.
 *
 * @param sent whether an answer is wanted once more, and the id of a message that was edited.
 * @throws TypedError INVALID_REQUEST 400.
 */
export function parseUserMessage(
  messages: readonly ChatMessage[],
  sent: { isAgain: boolean; edited: unknown },
): { message: WireMessage; key: string | undefined } {
  const parsed = messages.map(parseParts);
  const text = parsed
    .flatMap(({ texts }) => texts)
    .filter((one) => one !== '')
    .join('\n\n');
  const files = parsed.flatMap((one) => one.files);
  const last = messages.at(-1);
  if (text.trim() === '' && files.length === 0) {
    throw invalidRequest(`'${last?.field ?? 'messages'}' says nothing: send text or a file in it`);
  }
  const id = last?.content['id'];
  const isMeant = sent.isAgain || sent.edited === id || typeof id !== 'string' || id === '';
  return { message: { text, files }, key: isMeant ? undefined : keyOf(id) };
}

/** An id of the client's may be of any length. */
function keyOf(messageId: string): string {
  return `ai-sdk:${createHash('sha256').update(messageId).digest('hex')}`;
}

/** Parts of other kinds are the application's own. */
function parseParts({ content, field }: ChatMessage): { texts: string[]; files: InlineFile[] } {
  const { parts } = content;
  if (!Array.isArray(parts)) {
    throw invalidRequest(
      `'${field}.parts' is missing or no list: send messages as version 5 or later of the AI SDK has them`,
    );
  }
  const texts: string[] = [];
  const files: InlineFile[] = [];
  for (const [index, part] of (parts as unknown[]).entries()) {
    const at = `${field}.parts[${index}]`;
    if (!isPlainObject(part)) throw invalidRequest(`'${at}' must be an object`);
    if (part['type'] === 'text') texts.push(parseText(part['text'], at));
    if (part['type'] === 'file') files.push(parseFile(part, at));
  }
  return { texts, files };
}

function parseText(text: unknown, at: string): string {
  if (typeof text !== 'string') throw invalidRequest(`'${at}.text' must be text`);
  return text;
}

function parseFile({ url, filename, mediaType }: Record<string, unknown>, at: string): InlineFile {
  if (typeof url !== 'string') throw invalidRequest(`'${at}.url' must be text: a data: URL`);
  if (typeof mediaType !== 'string') throw invalidRequest(`'${at}.mediaType' must be text`);
  if (filename !== undefined && filename !== null && typeof filename !== 'string') {
    throw invalidRequest(`'${at}.filename' must be text`);
  }
  if (!/^data:/i.test(url)) {
    throw invalidRequest(
      `'${at}.url' is no data: URL, and this server does not fetch files: send the file's content as one, or give the agent a tool that reads the address`,
    );
  }
  const data = parseDataUrl(url);
  if (data === undefined) {
    throw invalidRequest(`'${at}.url' cannot be read: send data:<type>;base64,<content>`);
  }
  return { name: cleanName(filename ?? undefined, mediaType), bytes: data.bytes };
}
