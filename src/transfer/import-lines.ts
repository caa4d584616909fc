import { LineSplitter } from '../platform/text/line-splitter.js';
import { LineFault, parseLine, type ExportLine } from './parse-line.js';

/** Most bytes of a line. A row is far smaller: bodies, replies and outputs are bounded. */
const LONGEST_LINE = 64 * 1024 * 1024;

const newline = 0x0a;

/** The lines of a file, one after the other. */
export class ImportLines {
  readonly #lines: AsyncIterator<string>;
  /** Number of the last line, from 1. */
  number = 0;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#lines = this.#split(bytes);
  }

  /** @throws LineFault, also where the file ends; what the bytes throw. */
  async next(): Promise<ExportLine> {
    const line = await this.#lines.next();
    this.number += 1;
    if (line.done === true) {
      throw new LineFault(this.number, 'is missing: the file was cut off. Export it again');
    }
    return parseLine(line.value, this.number);
  }

  /** Ends the reading of bytes that are still to come. */
  async close(): Promise<void> {
    await this.#lines.return?.();
  }

  async *#split(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
    const tooLong = (most: number): LineFault =>
      new LineFault(this.number + 1, `is longer than ${most} bytes`);
    const splitter = new LineSplitter(LONGEST_LINE, tooLong);
    for await (const bytesRead of bytes) {
      const chunk = Buffer.from(bytesRead);
      // Line by line, so that the number of a line that is too long is right.
      for (let from = 0; from < chunk.length;) {
        const end = chunk.indexOf(newline, from);
        const next = end === -1 ? chunk.length : end + 1;
        yield* splitter.push(chunk.subarray(from, next));
        from = next;
      }
    }
    const rest = splitter.end();
    if (rest !== '') yield rest;
  }
}
