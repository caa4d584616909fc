/**
 * Where contents are, by ids that are used once. It knows nothing of hashes and users: those are
 * rows, see `BlobStore`.
 */
export interface BlobContents {
  /** Stores under an id never used before. Bounded memory. */
  write(contentId: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** Whether it is there and `size` bytes long, without reading it. */
  has(contentId: string, size: number): Promise<boolean>;
  /** Undefined when it is not there, or is not `size` bytes long. */
  read(contentId: string, size: number): Promise<Buffer | undefined>;
  /** Also what a write that died has left. Something absent is fine. */
  remove(contentId: string): Promise<void>;
}

/** Injects the `BlobContents` of the back end. */
export const BLOB_CONTENTS = Symbol('BlobContents');
