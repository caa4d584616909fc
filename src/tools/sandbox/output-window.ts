/**
 * A window on a command's output: the first and the last bytes, each half of `limit`, and the size of the
 * rest. Its memory is bounded.
 */
export class OutputWindow {
  readonly #head: Buffer;
  readonly #tail: Buffer;
  #headBytes = 0;
  /** Bytes that came after the head. */
  #afterHead = 0;

  constructor(limit: number) {
    const half = Math.max(1, Math.floor(limit / 2));
    this.#head = Buffer.allocUnsafeSlow(half);
    this.#tail = Buffer.allocUnsafeSlow(half);
  }

  add(chunk: Buffer): void {
    const taken = chunk.copy(this.#head, this.#headBytes);
    this.#headBytes += taken;
    this.#addToTail(chunk.subarray(taken));
  }

  /** The output as UTF-8, with U+FFFD for invalid bytes and a note on the part that was left out. */
  text(): string {
    const head = this.#head.subarray(0, this.#headBytes);
    const size = this.#tail.length;
    if (this.#afterHead <= size) {
      return Buffer.concat([head, this.#tail.subarray(0, this.#afterHead)]).toString('utf8');
    }
    const at = this.#afterHead % size;
    const tail = Buffer.concat([this.#tail.subarray(at), this.#tail.subarray(0, at)]);
    const shown = head.length + size;
    const all = head.length + this.#afterHead;
    return `${head.toString('utf8')}\n[output cut: ${shown} of ${all} bytes shown]\n${tail.toString('utf8')}`;
  }

  /** Appends to the tail, a ring buffer that overwrites its oldest bytes. */
  #addToTail(bytes: Buffer): void {
    const size = this.#tail.length;
    const last = bytes.subarray(Math.max(0, bytes.length - size));
    const at = (this.#afterHead + bytes.length - last.length) % size;
    const upToEnd = last.copy(this.#tail, at);
    last.copy(this.#tail, 0, upToEnd);
    this.#afterHead += bytes.length;
  }
}
