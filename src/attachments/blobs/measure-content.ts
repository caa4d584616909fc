import { createHash } from 'node:crypto';
import { SNIFF_BYTES } from '../check/sniff-type.js';

/** A stored content: its hash, size and first bytes. */
export interface StoredBlob {
  /** Lower-case hex. */
  sha256: string;
  /** Bytes. */
  size: number;
  /** The first bytes, at most `SNIFF_BYTES`. */
  start: Uint8Array;
}

/** Hashes and counts a content while it passes through. */
export class MeasuredContent {
  readonly #content: AsyncIterable<Uint8Array>;
  readonly #hash = createHash('sha256');
  readonly #start: Uint8Array[] = [];
  #size = 0;

  constructor(content: AsyncIterable<Uint8Array>) {
    this.#content = content;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#content) {
      if (this.#size < SNIFF_BYTES) {
        this.#start.push(Buffer.from(chunk.subarray(0, SNIFF_BYTES - this.#size)));
      }
      this.#hash.update(chunk);
      this.#size += chunk.length;
      yield chunk;
    }
  }

  /** The measures; called once, after the last chunk. */
  finish(): StoredBlob {
    const start = Buffer.concat(this.#start);
    return { sha256: this.#hash.digest('hex'), size: this.#size, start };
  }
}
