import type { JsonObject } from '../../platform/json.js';

/**
 * A file as it was when the turn was accepted. Its bytes are in the blob store, under their hash: the
 * provider is sent the bytes that were checked.
 */
export interface AttachmentRef {
  /** The last part of the path, or the sender's name for the file. */
  name: string;
  /** The absolute path it was loaded from; absent for a file that was sent. */
  path?: string;
  mimeType: string;
  /** Bytes as stored. */
  size: number;
  /** Lower-case hex. */
  sha256: string;
  /** Index among the turn's files as they were sent, from 0; absent in older turns. */
  index?: number;
  /** The change that made the model take it, as `turned upright`; absent: none. */
  changed?: string;
}

/** A stored part of a user message: a file by reference, never by its bytes. */
export type StoredPart = { type: 'text'; text: string } | { type: 'file'; file: AttachmentRef };

/** A canonical block of an assistant message. `opaque` is the provider's own, kept to the letter. */
export type AssistantPart =
  | { type: 'text'; text: string; citations?: JsonObject[] }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'tool_use'; id: string; name: string; input: JsonObject }
  | { type: 'opaque'; block: JsonObject };
