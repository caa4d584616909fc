import { cleanName } from '../../attachments/clean-name.js';
import { invalidRequest, TypedError } from '../../errors/typed-error.js';
import { isBase64 } from '../../platform/is-base64.js';
import { isPlainObject } from '../../platform/json.js';
import type { AgUiMessage } from './dialect/ag-ui-event.js';

export interface InlineFile {
  name: string;
  bytes: Buffer;
}

/** The new message of the user: all user messages after the assistant's last one. */
export interface RunMessage {
  /** Blank beside a file. */
  text: string;
  files: readonly InlineFile[];
}

const fileTypes = ['image', 'audio', 'video', 'document'];

/**
 * @param from index of the first message that is new.
 * @param context descriptions and values that the application sends with it, one section each.
 * @returns undefined where the user's text is empty.
 * @throws TypedError INVALID_REQUEST 400; ATTACHMENT_FAILURE 400 for a file whose bytes did not
 * come.
 */
export function parseRunMessage(
  messages: readonly AgUiMessage[],
  from: number,
  context: readonly string[],
): RunMessage | undefined {
  const own = messages.flatMap((message, index) =>
    index >= from && message.role === 'user'
      ? [{ message, field: `messages[${index}].content` }]
      : [],
  );
  const pieces = own.flatMap(({ message, field }) => parseContent(message.content, field));
  const files = pieces.filter((piece) => typeof piece !== 'string');
  const texts = pieces.filter((piece) => typeof piece === 'string');
  const text = texts.filter((one) => one !== '').join('\n\n');
  if (text.trim() === '' && files.length === 0) return undefined;
  return { text: withContext(text, context), files };
}

function withContext(text: string, context: readonly string[]): string {
  if (context.length === 0) return text;
  return ['Context from the application:', ...context, '---', text].join('\n\n');
}

function parseContent(content: unknown, field: string): (string | InlineFile)[] {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) throw invalidRequest(`'${field}' must be text or a list of parts`);
  return (content as unknown[]).map((part, index) => parsePart(part, `${field}[${index}]`));
}

function parsePart(part: unknown, field: string): string | InlineFile {
  if (!isPlainObject(part)) throw invalidRequest(`'${field}' must be an object`);
  const { type, text } = part;
  if (type === 'text' && typeof text === 'string') return text;
  if (typeof type === 'string' && fileTypes.includes(type)) return parseFile(part, field);
  throw invalidRequest(
    `'${field}' must be a part of the type text (with its 'text'), ${fileTypes.join(', ')}`,
  );
}

function parseFile({ source, metadata }: Record<string, unknown>, field: string): InlineFile {
  const { type, value, mimeType } = isPlainObject(source) ? source : {};
  if (type === 'url' || type === 'file') throw notSent(`${field}.source`, type);
  if (type !== 'data' || typeof value !== 'string' || typeof mimeType !== 'string') {
    throw invalidRequest(
      `'${field}.source' must be {"type":"data","value":"<base64>","mimeType":"…"}`,
    );
  }
  if (!isBase64(value)) {
    throw invalidRequest(`'${field}.source.value' is not base64`);
  }
  const { filename, name } = isPlainObject(metadata) ? metadata : {};
  const called = [filename, name].find((one) => typeof one === 'string');
  return { name: cleanName(called, mimeType), bytes: Buffer.from(value, 'base64') };
}

function notSent(field: string, type: string): TypedError {
  return new TypedError('ATTACHMENT_FAILURE', {
    message: `'${field}' is of the type ${type}, and this server fetches no files. Send the bytes: {"type":"data","value":"<base64>","mimeType":"…"}, or give the agent a tool that reads the address.`,
    details: { field: field },
  });
}
