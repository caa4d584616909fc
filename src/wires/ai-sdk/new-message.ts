import { createHash } from 'node:crypto';
import type { FileUIPart, UIMessage } from 'ai';
import { cleanName } from '../../attachments/clean-name.js';
import { fileIdInUrl } from '../../attachments/stored-files.js';
import { invalidRequest } from '../../errors/typed-error.js';
import type { WireMessage } from '../conversation/conversations.js';
import type { WireFile } from '../conversation/store-inline-files.js';
import { parseDataUrl } from '../conversation/parse-data-url.js';

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
