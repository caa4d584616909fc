const newline = 0x0a;

/** Splits a stream of bytes into lines, with a bounded buffer. */
export class LineSplitter {
  #pieces: Buffer[] = [];
  #size = 0;

  /**
   * @param longest most bytes of a line.
   * @param tooLong makes the error for a longer one.
   */
  constructor(
    private readonly longest: number,
    private readonly tooLong: (longest: number) => Error,
  ) {}

  /**
   * @returns the lines that are complete now, without their ends.
   * @throws the error for a line that is too long, which is dropped.
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

  /** @returns what came after the last line's end. */
  end(): string {
    return this.#take();
  }

  #append(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size > this.longest) {
      this.#take();
      throw this.tooLong(this.longest);
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
