import { cleanName } from '../../attachments/clean-name.js';
import { fileIdInUrl } from '../../attachments/stored-files.js';
import { invalidRequest, TypedError } from '../../errors/typed-error.js';
import { isBase64 } from '../../platform/text/is-base64.js';
import { isPlainObject } from '../../platform/json.js';
import type { WireMessage } from '../conversation/conversations.js';
import type { WireFile } from '../conversation/store-inline-files.js';
import type { CheckedRun } from './check-run.js';

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
  const files = pieces.filter((piece) => typeof piece !== 'string');
  const texts = pieces.filter((piece) => typeof piece === 'string');
  const text = texts.filter((one) => one !== '').join('\n\n');
  if (text.trim() === '' && files.length === 0) return undefined;
  const [clientId, ...more] = fresh.flatMap(({ role, id }) => (role === 'user' ? id : []));
  const said = { text, files };
  // Several messages become one, which none of their ids stands for.
  return more.length > 0 ? said : { ...said, clientId };
}

/** What the application says beside the user, a section for each part; undefined: nothing. */
export function readContext(context: readonly Context[]): string | undefined {
  if (context.length === 0) return undefined;
  return context.map(({ description, value }) => `## ${description}\n\n${value}`).join('\n\n');
}

function readPart(part: ContentPart, field: string): string | WireFile {
  if (part.type === 'text') return part.text;
  const { source, metadata } = part;
  const id = source.type === 'url' ? fileIdInUrl(source.value) : undefined;
  if (id !== undefined) return { id };
  if (source.type !== 'data') throw notSent(`${field}.source`, source.type);
  const { value } = source;
  if (!isBase64(value)) throw invalidRequest(`'${field}.source.value' is not base64`);
  const { filename, name } = isPlainObject(metadata) ? metadata : {};
  const called = [filename, name].find((one) => typeof one === 'string');
  return { name: cleanName(called), bytes: Buffer.from(value, 'base64') };
}

function notSent(field: string, type: string): TypedError {
  return new TypedError('ATTACHMENT_FAILURE', {
    message: `'${field}' is of the type ${type}, and this server fetches no files. Send the bytes: {"type":"data","value":"<base64>","mimeType":"…"}, or give the agent a tool that reads the address.`,
    details: { field: field },
  });
}
