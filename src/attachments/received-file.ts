/** A file that came with a request: stored, and not yet checked. */
export interface ReceivedFile {
  /** The sender's name for it, cleaned: no path, no control character, at most 255 characters. */
  name: string;
  /** Lower-case hex. */
  sha256: string;
  /** Bytes. */
  size: number;
  /** The first bytes, at most `SNIFF_BYTES`. */
  start: Uint8Array;
}
