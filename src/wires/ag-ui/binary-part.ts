import { isPlainObject } from '../../platform/json.js';
import type { AgUiMessage } from './dialect/ag-ui-frames.js';

/**
 * A message with the `binary` parts of the protocol before 1.0 as the media parts of today: a client that
 * was built with an older package sends files that way. Pure.
 */
export function toMediaParts(message: AgUiMessage): AgUiMessage {
  const { content } = message;
  return Array.isArray(content) ? { ...message, content: content.map(toMediaPart) } : message;
}

function toMediaPart(part: unknown): unknown {
  if (!isPlainObject(part) || part['type'] !== 'binary') return part;
  const { mimeType, data, url, id, filename } = part;
  const source = [
    { type: 'data', value: data, mimeType },
    { type: 'url', value: url, mimeType },
    { type: 'file', value: id, mimeType },
  ].find(({ value }) => value !== undefined && value !== null);
  return {
    type: mediaTypeOf(mimeType),
    // Without a source, the fault names the fields of today.
    source,
    ...(filename === undefined ? {} : { metadata: { filename } }),
  };
}

/** The type of a part for a file. */
export function mediaTypeOf(mimeType: unknown): string {
  const [kind = ''] = typeof mimeType === 'string' ? mimeType.split('/', 1) : [];
  return ['image', 'audio', 'video'].includes(kind) ? kind : 'document';
}
