/**
 * The port for the bytes of blobs, by content ids that are used once. Hashes and users are rows, see
 * `BlobStore`.
 */
export interface BlobContents {
  /** Stores a content under an id never used before, in bounded memory. */
  write(contentId: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** Whether the content is stored and `size` bytes long, without loading it. */
  has(contentId: string, size: number): Promise<boolean>;
  /** The content; undefined when it is not stored, or is not `size` bytes long. */
  read(contentId: string, size: number): Promise<Buffer | undefined>;
  /** The stored bytes in order, in pieces of at most 256 KiB; none where nothing is stored. */
  pieces(contentId: string): AsyncIterable<Uint8Array>;
  /** Removes a content, or what a write that died has left. Idempotent. */
  remove(contentId: string): Promise<void>;
}

/** Injects the `BlobContents` of the back end. */
export const BLOB_CONTENTS = Symbol('BlobContents');
