import { MessageTooLongError } from './message-too-long.js';

const newline = 0x0a;

/** Splits a stream of bytes into lines, with a bounded buffer. */
export class LineSplitter {
  #pieces: Buffer[] = [];
  #size = 0;

  /** @param longest most bytes of a line. */
  constructor(private readonly longest: number) {}

  /**
   * @returns the lines that are complete now, without their ends.
   * @throws MessageTooLongError; the buffered line is dropped.
   */
  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      this.#append(chunk.subarray(from, end));
      lines.push(this.#take());
      from = end + 1;
    }
    this.#append(chunk.subarray(from));
    return lines;
  }

  #append(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size > this.longest) {
      this.#take();
      throw new MessageTooLongError(this.longest);
    }
    if (piece.length > 0) this.#pieces.push(piece);
  }

  #take(): string {
    const line = Buffer.concat(this.#pieces).toString('utf8').replace(/\r$/, '');
    this.#pieces = [];
    this.#size = 0;
    return line;
  }
}
