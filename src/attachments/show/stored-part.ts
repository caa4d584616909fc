/**
 * A file as it was when the turn was accepted. Its bytes are in the blob store, under their hash:
 * what was checked is what is sent.
 */
export interface AttachmentRef {
  /** The last part of the path, or what its sender called it. */
  name: string;
  /** Absolute; where it was read. Absent for a file that was sent. */
  path?: string;
  mimeType: string;
  /** Bytes, as they are stored. */
  size: number;
  /** Lower-case hex. */
  sha256: string;
  /** Place among the turn's files as they were sent, from 0; absent in older turns. */
  index?: number;
  /** What was done to it so that the model takes it; absent: nothing. */
  changed?: string;
}

/** A part of a user message as it is stored: a file by reference, never by its bytes. */
export type StoredPart = { type: 'text'; text: string } | { type: 'file'; file: AttachmentRef };
