import type { IncomingMessage } from 'node:http';
import { isPlainObject } from '../../platform/json.js';
import { invalidRequest } from '../../errors/typed-error.js';
import type { ReceivedFile } from '../blob-store.js';
import { cleanName } from '../file-limits.js';
import { type JsonPath, StoredContent, receiveDocument } from './receive-document.js';
import type { ReceiveOptions } from '../receive-limits.js';

export interface ReceivedJson {
  /** All fields but `files`, not validated. */
  fields: Record<string, unknown>;
  files: ReceivedFile[];
}

/**
 * Receives `{…, files?: [{content, mime_type, filename?}]}`, where a content is base64.
 *
 * @throws TypedError as `receiveDocument` does.
 */
export async function receiveJson(
  request: IncomingMessage,
  options: ReceiveOptions,
): Promise<ReceivedJson> {
  const document = await receiveDocument(request, { ...options, isContent });
  if (!isPlainObject(document)) throw invalidRequest('Request body must be a JSON object');
  const { files, ...fields } = document;
  // A client without files may send null.
  const sent: unknown = files ?? [];
  if (!Array.isArray(sent)) throw invalidRequest('files must be an array');
  return { fields, files: sent.map(toFile) };
}

const isContent = ([top, index, field, ...more]: JsonPath): boolean =>
  top === 'files' && typeof index === 'number' && field === 'content' && more.length === 0;

function toFile(file: unknown, index: number): ReceivedJson['files'][number] {
  const field = `files[${index}]`;
  if (!isPlainObject(file)) throw invalidRequest(`${field} must be an object`, { field });
  const { content, mime_type: mimeType, filename } = file;
  if (!(content instanceof StoredContent)) throw mustBeText(`${field}.content`);
  if (typeof mimeType !== 'string') throw mustBeText(`${field}.mime_type`);
  if (filename !== undefined && filename !== null && typeof filename !== 'string') {
    throw mustBeText(`${field}.filename`);
  }
  return { name: cleanName(filename ?? ''), ...content.blob };
}

function mustBeText(field: string): Error {
  return invalidRequest(`${field} must be a string`, { field });
}
