import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { stripVTControlCharacters } from 'node:util';
import { untilAborted, withDeadline } from '../../platform/async/deadlines.js';
import { pause, type Clock } from '../../platform/clock.js';
import { MarkerReader, OutputWindow, type CommandOutput } from './shell-outputs.js';
import {
  writeSecondInput,
  type ShellProgram,
  commandLines,
  openingLines,
} from './shell-program.js';

/** Time that output may still come after the shell's exit, in ms. */
const DRAIN_MS = 250;
/** Time that `close` waits for the end, in ms. */
const CLOSE_MS = 2_000;
/** Time limit of a shell's start, in ms. */
const START_MS = 10_000;
const STDERR_CHARS = 2_000;

export interface ShellOptions {
  clock: Clock;
  /** Bytes of a command's output that are kept; the middle of a longer output is left out. */
  outputBytes: number;
}

export interface CommandLimits {
  timeoutMs: number;
  signal: AbortSignal;
}

export interface CommandEnd {
  /**
   * stdout and stderr in the order they came until the command ended, without terminal codes and trailing line feeds.
   */
  output: string;
  exitCode: number;
}

/**
 * A shell that runs one command after the other and keeps its directory and variables between them. Its
 * end (an `exit`, a limit, an abort) kills everything it started.
 */
export class ShellSession {
  readonly #child: ChildProcess;
  readonly #closed: Promise<void>;
  #stderr = '';
  #onOutput: (chunk: Buffer) => void = ignore;
  #onEnd: () => void = ignore;
  /** What the running command writes to. Absent: none runs, and the shell writes to its own output. */
  #output: CommandOutput | undefined;
  /** Reason of the shell's end, also of one that is about to come. */
  #reason: string | undefined;
  /** Whether the shell takes no more commands. */
  #hasEnded = false;
  /** Whether its output has ended as well. */
  #isGone = false;

  /**
   * Starts a shell, and resolves when it takes commands.
   *
   * @throws ShellEndedError with the program's stderr when it does not start; the signal's reason.
   */
  static async open(
    program: ShellProgram,
    options: ShellOptions,
    signal: AbortSignal,
  ): Promise<ShellSession> {
    const session = await ShellSession.#start(program, options, signal);
    try {
      const opening = (marker: string): string => openingLines(marker, program.setUp);
      await session.#run(opening, { timeoutMs: START_MS, signal });
    } catch (error) {
      await session.close();
      signal.throwIfAborted();
      const stderr = session.#stderr.trim();
      throw new ShellEndedError(stderr === '' ? String(error) : stderr, '');
    }
    return session;
  }

  static async #start(
    program: ShellProgram,
    options: ShellOptions,
    signal: AbortSignal,
  ): Promise<ShellSession> {
    try {
      signal.throwIfAborted();
      return new ShellSession(program, options);
    } catch (error) {
      await program.outputs.close();
      await program.release?.();
      signal.throwIfAborted();
      throw new ShellEndedError(`could not be started: ${String(error)}`, '');
    }
  }

  private constructor(
    private readonly program: ShellProgram,
    private readonly options: ShellOptions,
  ) {
    this.#child = spawn(program.file, program.args, {
      cwd: program.cwd,
      env: program.env,
      stdio: [
        'pipe',
        'pipe',
        'pipe',
        ...(program.secondInput === undefined ? [] : ['pipe' as const]),
      ],
      // A process group of its own, which can be killed as one.
      detached: true,
    });
    writeSecondInput(this.#child, program.secondInput);
    this.#closed = this.#untilClosed();
    void this.#closed.then(() => program.outputs.close()).then(() => program.release?.());
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      if (this.#output === undefined) this.#onOutput(chunk);
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_CHARS);
    });
    // A write to a shell that has just ended fails; its end is reported instead.
    this.#child.stdin?.on('error', ignore);
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * Runs a command.
   * @throws ShellEndedError; the signal's reason. Each ends the shell.
   */
  async exec(command: string, limits: CommandLimits): Promise<CommandEnd> {
    limits.signal.throwIfAborted();
    const output = await this.program.outputs.next();
    output.read((chunk) => this.#onOutput(chunk));
    this.#output = output;
    try {
      return await this.#run((marker) => commandLines(command, marker, output.file), limits);
    } finally {
      this.#output = undefined;
      await output.release();
    }
  }

  /** Kills the shell and everything it started. Resolves after its end, or after two seconds. */
  async close(): Promise<void> {
    this.#kill('was closed');
    await Promise.race([this.#closed, pause(this.options.clock, CLOSE_MS)]);
  }

  async #run(
    lines: (marker: string) => string,
    { timeoutMs: ms, signal }: CommandLimits,
  ): Promise<CommandEnd> {
    signal.throwIfAborted();
    const window = new OutputWindow(this.options.outputBytes);
    return withDeadline(this.options.clock, { ms, outer: signal }, async (stop) => {
      try {
        const exitCode = await untilAborted(this.#send(lines, window), stop);
        return { output: textOf(window), exitCode };
      } catch (error) {
        this.#kill('was stopped');
        signal.throwIfAborted();
        if (!stop.aborted) throw error;
        // Bytes that were buffered in search of the marker are output, too.
        this.#onEnd();
        throw new ShellEndedError(`timed out after ${ms} ms`, textOf(window));
      } finally {
        this.#onOutput = ignore;
        this.#onEnd = ignore;
      }
    });
  }

  /** Resolves with the exit code; rejects when the shell ends before the marker. */
  #send(lines: (marker: string) => string, window: OutputWindow): Promise<number> {
    const marker = randomUUID().replaceAll('-', '');
    const reader = new MarkerReader(marker, window);
    return new Promise((resolve, reject) => {
      this.#onOutput = (chunk) => {
        const exitCode = reader.read(chunk);
        if (exitCode !== undefined) resolve(exitCode);
      };
      this.#onEnd = () => {
        reader.end();
        reject(new ShellEndedError(this.#reason ?? 'ended', textOf(window)));
      };
      if (this.#isGone) this.#onEnd();
      else this.#child.stdin?.write(lines(marker));
    });
  }

  /** Resolves when the output has ended; a child that keeps the pipe open delays that only briefly. */
  #untilClosed(): Promise<void> {
    return new Promise((resolve) => {
      const end = async (): Promise<void> => {
        this.#hasEnded = true;
        await this.#drain();
        this.#isGone = true;
        this.#onEnd();
        resolve();
      };
      this.#child.once('error', (error) => {
        this.#reason ??= `could not be started: ${error.message}`;
        void end();
      });
      this.#child.once('exit', (code, signal) => {
        this.#kill(code === null ? `was ended by ${signal}` : `ended with exit code ${code}`);
        this.options.clock.after(DRAIN_MS, () => {
          this.#child.stdout?.destroy();
          this.#child.stderr?.destroy();
          void end();
        });
      });
      this.#child.once('close', () => void end());
    });
  }

  /** Reads what the last command wrote before the shell ended. */
  async #drain(): Promise<void> {
    const output = this.#output;
    if (output === undefined) return;
    await output.finish();
    await Promise.race([output.ended, pause(this.options.clock, DRAIN_MS)]);
  }

  /**
   * Kills the process group. In a sandbox its first process dies with it, and everything else with
   * that.
   */
  #kill(reason: string): void {
    this.#reason ??= reason;
    this.#hasEnded = true;
    const { pid } = this.#child;
    if (pid === undefined || this.#isGone) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // The process group is empty.
    }
  }
}

function ignore(): void {}

function textOf(window: OutputWindow): string {
  return stripVTControlCharacters(window.text()).replace(/\n+$/, '');
}

/** The shell ended, did not start, or was killed, as after a command's time, and the command with it. */
export class ShellEndedError extends Error {
  override readonly name = 'ShellEndedError';

  /** @param output the command's output so far. */
  constructor(
    message: string,
    readonly output: string,
  ) {
    super(message);
  }
}
