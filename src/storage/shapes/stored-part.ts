import type { JsonObject } from '../../platform/json.js';

/**
 * A file as accepted with the turn. Its bytes are in the blob store under their hash, so that the
 * provider gets the bytes that were checked.
 */
export interface AttachmentRef {
  /** The last part of the path, or the sender's name for the file. */
  name: string;
  /** The absolute path that the file was loaded from; absent for an upload. */
  path?: string;
  mimeType: string;
  /** Size as stored, in bytes. */
  size: number;
  /** Hash of the stored bytes, in lower-case hex. */
  sha256: string;
  /** Index among the turn's files in the order sent, from 0; absent in older turns. */
  index?: number;
  /** Conversion that made the file fit for the model, such as `turned upright`; absent: none. */
  changed?: string;
}

/** A stored part of a user message: a file by reference, never by its bytes. */
export type StoredPart = { type: 'text'; text: string } | { type: 'file'; file: AttachmentRef };

/**
 * A canonical block of an assistant message. `opaque` is the provider's own block, kept byte for
 * byte.
 */
export type AssistantPart =
  | { type: 'text'; text: string; citations?: JsonObject[] }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'tool_use'; id: string; name: string; input: JsonObject }
  | { type: 'opaque'; block: JsonObject };
