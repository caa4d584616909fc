import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { JSONRPCMessageSchema, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Clock } from '../../../platform/clock.js';
import { compact } from '../../../platform/compact.js';
import { LineSplitter } from './line-splitter.js';
import { largestMessage } from './message-too-long.js';

export interface StdioOptions {
  command: string;
  args: readonly string[];
  /** All of it: nothing is inherited. */
  env: Readonly<Record<string, string>>;
  cwd: string | undefined;
  clock: Clock;
  /** A line the command wrote to its standard error. */
  onStderr(line: string): void;
}

/** Lines on standard output that are no messages, as of a program that also prints there. */
const STDERR_LINE_CHARS = 1_000;
const STDERR_CHARS = 1_048_576;
const mostOddLines = 1_000;
const endMs = 500;
const killMs = 2_000;

/**
 * A server that is a child process, one message a line. Not the SDK's: that one passes on more of the
 * environment, has no process group to kill, and takes up to four seconds to close.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: StdioOptions;
  #child: ChildProcessWithoutNullStreams | undefined;
  #oddLines = 0;
  /** Settles when the process is gone. */
  #exited: Promise<void> = Promise.resolve();

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  /** @throws the error of the operating system when the command cannot be run. */
  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#options;
    const child = spawn(command, args, {
      env: { ...env },
      ...compact({ cwd }),
      stdio: 'pipe',
      // A process group of its own: what it starts goes with it.
      detached: true,
    });
    this.#child = child;
    const splitter = new LineSplitter(largestMessage);
    child.stdout.on('data', (chunk: Buffer) => this.#read(splitter, chunk));
    for (const stream of [child.stdin, child.stdout, child.stderr]) {
      stream.on('error', (error) => this.onerror?.(error));
    }
    logStderr(child.stderr, this.#options.onStderr);
    this.#exited = new Promise((resolve) => child.once('exit', () => resolve()));
    child.once('exit', () => this.#ended(child));
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
  }

  /** Waits for nothing: what the command does not take is kept, and is as large as its input. */
  async send(message: JSONRPCMessage): Promise<void> {
    const { stdin, exitCode, signalCode } = this.#running();
    if (exitCode !== null || signalCode !== null) throw new Error('the process has ended');
    stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** Tells it to end, then makes it end. Settles when it is gone. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const { clock } = this.#options;
    child.stdin.end();
    const cancels = [
      clock.after(endMs, () => killGroup(child, 'SIGTERM')),
      clock.after(endMs + killMs, () => killGroup(child, 'SIGKILL')),
    ];
    await this.#exited;
    for (const cancel of cancels) cancel();
  }

  /** What it wrote last is read yet; what left its group may hold its output open for ever. */
  #ended(child: ChildProcessWithoutNullStreams): void {
    killGroup(child, 'SIGKILL');
    let told = false;
    const tell = (): void => {
      if (!told) this.onclose?.();
      told = true;
    };
    const cancel = this.#options.clock.after(endMs, tell);
    child.once('close', () => {
      cancel();
      tell();
    });
  }

  #running(): ChildProcessWithoutNullStreams {
    if (this.#child === undefined) throw new Error('the process was not started');
    return this.#child;
  }

  #read(splitter: LineSplitter, chunk: Buffer): void {
    try {
      for (const line of splitter.push(chunk)) this.#receive(line);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error('its output cannot be read'));
      const child = this.#child;
      if (child !== undefined) killGroup(child, 'SIGKILL');
    }
  }

  #receive(line: string): void {
    const message = parseMessage(line);
    if (message !== undefined) return this.onmessage?.(message);
    this.#oddLines += 1;
    if (this.#oddLines > mostOddLines) {
      throw new Error(`it wrote more than ${mostOddLines} lines that are no messages`);
    }
  }
}

function parseMessage(line: string): JSONRPCMessage | undefined {
  try {
    return JSONRPCMessageSchema.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** A group that is gone already is as good as one that was killed. */
function killGroup(child: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    child.kill(signal);
  }
}

/**
 * Passes on the lines of a stream, each cut at 1,000 characters. After a million characters the stream
 * is drained silently: a command that cannot write to it would block.
 */
function logStderr(stream: Readable, onLine: (line: string) => void): void {
  let open = '';
  let left = STDERR_CHARS;
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    if (left <= 0) return;
    left -= text.length;
    const lines = (open + text).split('\n');
    open = (lines.pop() ?? '').slice(0, STDERR_LINE_CHARS);
    for (const line of lines) if (line.trim() !== '') onLine(line.slice(0, STDERR_LINE_CHARS));
  });
}
