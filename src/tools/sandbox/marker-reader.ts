import type { OutputWindow } from './output-window.js';

const LINE_FEED = 0x0a;

/**
 * Finds the end of a command in what its shell says: a marker that nobody could guess, the exit
 * code, a line feed. What comes before goes to the window, in pieces of any size.
 */
export class MarkerReader {
  readonly #marker: Buffer;
  #held: Buffer = Buffer.alloc(0);

  constructor(
    marker: string,
    private readonly window: OutputWindow,
  ) {
    this.#marker = Buffer.from(marker);
  }

  /** @returns the exit code, once all of the marker's line has come. */
  read(chunk: Buffer): number | undefined {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const at = bytes.indexOf(this.#marker);
    // The marker may have begun with the last bytes.
    const known = at < 0 ? Math.max(0, bytes.length - this.#marker.length + 1) : at;
    this.window.add(bytes.subarray(0, known));
    const lineEnd = at < 0 ? -1 : bytes.indexOf(LINE_FEED, at + this.#marker.length);
    if (lineEnd >= 0) {
      this.#held = Buffer.alloc(0);
      return Number(bytes.subarray(at + this.#marker.length, lineEnd).toString('latin1'));
    }
    this.#held = Buffer.from(bytes.subarray(known));
    return undefined;
  }

  /** No marker will come: what was held back is output. */
  end(): void {
    this.window.add(this.#held);
    this.#held = Buffer.alloc(0);
  }
}
