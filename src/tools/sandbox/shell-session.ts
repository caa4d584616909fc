import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { stripVTControlCharacters } from 'node:util';
import { untilAborted } from '../../platform/abort.js';
import { pause, type Clock } from '../../platform/clock.js';
import { withDeadline } from '../../platform/with-deadline.js';
import { MarkerReader } from './marker-reader.js';
import { OutputWindow } from './output-window.js';
import { ShellEndedError, ShellTimeoutError } from './shell-errors.js';
import { writeSecondInput, type ShellProgram } from './shell-program.js';
import { commandLines, openingLines } from './shell-script.js';

/** How long output may still come after the shell is gone, and how long `close` waits, in ms. */
const DRAIN_MS = 250;
const CLOSE_MS = 2_000;
const START_MS = 10_000;
const STDERR_CHARS = 2_000;

export interface ShellOptions {
  clock: Clock;
  /** Of one command's output; the middle of a longer one is left out. */
  outputBytes: number;
}

export interface CommandLimits {
  timeoutMs: number;
  signal: AbortSignal;
}

export interface CommandEnd {
  /** stdout and stderr in the order they came, without terminal codes and last line feeds. */
  output: string;
  exitCode: number;
}

/**
 * One shell that runs one command after the other and keeps its directory and variables between
 * them. Whatever ends it (an `exit`, a limit, an abort) kills everything it started.
 */
export class ShellSession {
  readonly #child: ChildProcess;
  readonly #closed: Promise<void>;
  #stderr = '';
  #onOutput: (chunk: Buffer) => void = ignore;
  #onEnd: () => void = ignore;
  /** Why it ended, or will. */
  #reason: string | undefined;
  /** It takes no more commands. */
  #hasEnded = false;
  /** And nothing more comes from it. */
  #isGone = false;

  /**
   * Resolves when the shell takes commands.
   *
   * @throws ShellEndedError with what the program said when it does not start; the signal's reason.
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
      const said = session.#stderr.trim();
      throw new ShellEndedError(said === '' ? String(error) : said, '');
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
      await program.release?.();
      signal.throwIfAborted();
      throw new ShellEndedError(`could not be started: ${String(error)}`, '');
    }
  }

  private constructor(
    program: ShellProgram,
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
    void this.#closed.then(() => program.release?.());
    this.#child.stdout?.on('data', (chunk: Buffer) => this.#onOutput(chunk));
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_CHARS);
    });
    // Written to a shell that has just ended: its end is what is told.
    this.#child.stdin?.on('error', ignore);
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * @throws ShellEndedError; ShellTimeoutError; the signal's reason. The shell is gone after each.
   */
  exec(command: string, limits: CommandLimits): Promise<CommandEnd> {
    return this.#run((marker) => commandLines(command, marker), limits);
  }

  /** Kills the shell and everything it started. Resolves when it is gone, or after two seconds. */
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
        throw new ShellTimeoutError(ms, textOf(window));
      } finally {
        this.#onOutput = ignore;
        this.#onEnd = ignore;
      }
    });
  }

  /** Resolves with the exit code; rejects when the shell ends before it says one. */
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

  /** Resolves when nothing more comes from it, also when what it left behind holds its output. */
  #untilClosed(): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        this.#hasEnded = true;
        this.#isGone = true;
        this.#onEnd();
        resolve();
      };
      this.#child.once('error', (error) => {
        this.#reason ??= `could not be started: ${error.message}`;
        end();
      });
      this.#child.once('exit', (code, signal) => {
        this.#kill(code === null ? `was ended by ${signal}` : `ended with exit code ${code}`);
        this.options.clock.after(DRAIN_MS, () => {
          this.#child.stdout?.destroy();
          this.#child.stderr?.destroy();
          end();
        });
      });
      this.#child.once('close', end);
    });
  }

  /** In a sandbox everything dies with its first process, which dies with the one killed here. */
  #kill(reason: string): void {
    this.#reason ??= reason;
    this.#hasEnded = true;
    const { pid } = this.#child;
    if (pid === undefined || this.#isGone) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // Nobody of its group is left.
    }
  }
}

function ignore(): void {}

function textOf(window: OutputWindow): string {
  return stripVTControlCharacters(window.text()).replace(/\n+$/, '');
}
