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
    await this.letEnd();
    await rm(this.file, { force: true });
  }

  /** Lets the pipe end with the last process that writes to it. */
  async letEnd(): Promise<void> {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    await closeFile(this.held.writer);
  }

  close(): void {
    void this.letEnd();
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
