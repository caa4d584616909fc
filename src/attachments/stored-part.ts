/**
 * A file as it was when the turn was accepted. The path says where its bytes are; size and hash say
 * whether they are still the same.
 */
export interface AttachmentRef {
  /** The last part of the path. */
  name: string;
  /** Absolute. */
  path: string;
  mimeType: string;
  /** Bytes. */
  size: number;
  /** Lower-case hex. */
  sha256: string;
}

/** A part of a user message as it is stored: a file by reference, never by its bytes. */
export type StoredPart = { type: 'text'; text: string } | { type: 'file'; file: AttachmentRef };
