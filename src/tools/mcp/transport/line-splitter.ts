import { MessageTooLongError } from './message-too-long.js';

const newline = 0x0a;

/** Cuts a stream of bytes into lines, and holds no more of one than it may have. */
export class LineSplitter {
  #pieces: Buffer[] = [];
  #held = 0;

  /** @param longest most bytes of a line. */
  constructor(private readonly longest: number) {}

  /**
   * @returns the lines that are whole now, without their ends.
   * @throws MessageTooLongError; what was held is dropped.
   */
  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      this.#hold(chunk.subarray(from, end));
      lines.push(this.#take());
      from = end + 1;
    }
    this.#hold(chunk.subarray(from));
    return lines;
  }

  #hold(piece: Buffer): void {
    this.#held += piece.length;
    if (this.#held > this.longest) {
      this.#take();
      throw new MessageTooLongError(this.longest);
    }
    if (piece.length > 0) this.#pieces.push(piece);
  }

  #take(): string {
    const line = Buffer.concat(this.#pieces).toString('utf8').replace(/\r$/, '');
    this.#pieces = [];
    this.#held = 0;
    return line;
  }
}
