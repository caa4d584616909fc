import type { StoredBlob } from './blobs/measure-content.js';

/** A file that came with a request: stored, and not yet checked. */
export interface ReceivedFile extends StoredBlob {
  /** The sender's name for it, cleaned: no path, no control character, at most 255 characters. */
  name: string;
}
