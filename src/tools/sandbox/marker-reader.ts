import type { OutputWindow } from './output-window.js';

const LINE_FEED = 0x0a;

/**
 * Finds the end of a command in its shell's output: an unguessable marker, the exit code, a line feed.
 * All bytes before the marker go to the window.
 */
export class MarkerReader {
  readonly #marker: Buffer;
  #pending: Buffer = Buffer.alloc(0);

  constructor(
    marker: string,
    private readonly window: OutputWindow,
  ) {
    this.#marker = Buffer.from(marker);
  }

  /** @returns the exit code, once the marker's line is complete. */
  read(chunk: Buffer): number | undefined {
    const bytes = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    const at = bytes.indexOf(this.#marker);
    // The last bytes may be the beginning of the marker.
    const known = at < 0 ? Math.max(0, bytes.length - this.#marker.length + 1) : at;
    this.window.add(bytes.subarray(0, known));
    const lineEnd = at < 0 ? -1 : bytes.indexOf(LINE_FEED, at + this.#marker.length);
    if (lineEnd >= 0) {
      this.#pending = Buffer.alloc(0);
      return Number(bytes.subarray(at + this.#marker.length, lineEnd).toString('latin1'));
    }
    this.#pending = Buffer.from(bytes.subarray(known));
    return undefined;
  }

  /** Ends without a marker: the pending bytes are output. */
  end(): void {
    this.window.add(this.#pending);
    this.#pending = Buffer.alloc(0);
  }
}
