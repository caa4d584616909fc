/** A file that came with a request: its content is stored, and nobody has judged it yet. */
export interface ReceivedFile {
  /** As its sender called it, cleaned: no path, no control character, at most 255 characters. */
  name: string;
  /** Lower-case hex. */
  sha256: string;
  /** Bytes. */
  size: number;
  /** The first bytes, at most `SNIFF_BYTES`. */
  start: Uint8Array;
}
