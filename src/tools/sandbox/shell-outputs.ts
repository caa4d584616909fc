import { execFile } from 'node:child_process';
import { close, constants, open } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Clock } from '../../platform/clock.js';

const makePipes = promisify(execFile);
const openFile = promisify(open);
const closeFile = promisify(close);

/** Pipes that are made at a time, as that starts a program. */
const MADE_AT_ONCE = 8;
/** Bytes that are read in an interval of what is written after the end of a command. */
const REST_BYTES = 1024 * 1024;
const REST_MS = 100;

/**
 * The named pipes of a shell's commands, in a folder that commands see and cannot write to. Each command has its own:
 * what it left in the background writes to that, and never into the output of the next command.
 */
export class ShellOutputs {
  readonly #unused: string[] = [];
  readonly #inUse = new Set<CommandOutput>();
  #made = 0;

  private constructor(
    /** Absolute, without links. */
    readonly folder: string,
    private readonly clock: Clock,
  ) {}

  static async make(clock: Clock): Promise<ShellOutputs> {
    const folder = await mkdtemp(path.join(await realpath(tmpdir()), 'turnpike-shell-'));
    return new ShellOutputs(folder, clock);
  }

  /** Opens the pipe of the next command. */
  async next(): Promise<CommandOutput> {
    if (this.#unused.length === 0) {
      const pipes = Array.from({ length: MADE_AT_ONCE }, (_one, index) =>
        path.join(this.folder, String(this.#made + index)),
      );
      await makePipes('mkfifo', ['-m', '600', ...pipes]);
      this.#made += MADE_AT_ONCE;
      this.#unused.push(...pipes);
    }
    const output = await CommandOutput.open(this.#unused.shift() ?? '', this.clock);
    this.#inUse.add(output);
    void output.ended.then(() => this.#inUse.delete(output));
    return output;
  }

  /** Closes and deletes all pipes. */
  async close(): Promise<void> {
    for (const output of this.#inUse) output.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** The pipe of a command. */
export class CommandOutput {
  /** Resolves when nothing can write to the pipe any more, or when it was closed. */
  readonly ended: Promise<void>;
  readonly #socket: Socket;
  #onChunk: ((chunk: Buffer) => void) | undefined;
  #restBytes = REST_BYTES;
  #isHeld = true;

  static async open(file: string, clock: Clock): Promise<CommandOutput> {
    const reader = await openFile(file, constants.O_RDONLY | constants.O_NONBLOCK);
    // A pipe that nobody has opened for writing has ended.
    const writer = await openFile(file, constants.O_WRONLY | constants.O_NONBLOCK);
    return new CommandOutput(file, { reader, writer, clock });
  }

  private constructor(
    /** The path that the shell opens. */
    readonly file: string,
    private readonly held: { reader: number; writer: number; clock: Clock },
  ) {
    this.#socket = new Socket({ fd: held.reader, readable: true, writable: false });
    this.ended = new Promise((resolve) => this.#socket.once('close', resolve));
    // What cannot be read any more has ended: 'close' follows.
    this.#socket.on('error', () => undefined);
    this.#socket.on('data', (chunk) => {
      if (this.#onChunk === undefined) this.#drop(chunk);
      else this.#onChunk(chunk);
    });
  }

  /** Takes what the command writes, until `release`. */
  read(onChunk: (chunk: Buffer) => void): void {
    this.#onChunk = onChunk;
  }

  /**
   * Ends the command's output, and resolves when it can be opened no more. What it left in the background may write on:
   * that is read and dropped, slowly, as it would else end with an error or stand still.
   */
  async release(): Promise<void> {
    this.#onChunk = undefined;
    await this.finish();
    await rm(this.file, { force: true });
  }

  /** Lets the pipe end with the last process that writes to it. */
  async finish(): Promise<void> {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    await closeFile(this.held.writer);
  }

  close(): void {
    void this.finish();
    this.#socket.destroy();
  }

  #drop(chunk: Buffer): void {
    this.#restBytes -= chunk.length;
    if (this.#restBytes > 0) return;
    this.#socket.pause();
    this.held.clock.after(REST_MS, () => {
      this.#restBytes = REST_BYTES;
      this.#socket.resume();
    });
  }
}

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
