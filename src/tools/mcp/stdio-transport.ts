import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Readable } from 'node:stream';
import {
  INTERNAL_ERROR,
  parseJSONRPCMessage,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import type { Clock } from '../../platform/clock.js';
import { compact } from '../../platform/compact.js';
import { isPlainObject } from '../../platform/json.js';
import { LineSplitter } from '../../platform/text/line-splitter.js';
import { printJson } from '../../platform/exact-json.js';
import { Answers } from './answers.js';
import { unwrapAnswer } from './asked-params.js';
import { commandFault } from './faults.js';
import { MAX_MESSAGE_BYTES, MessageTooLongError, readMessage } from './messages.js';

export interface StdioOptions {
  command: string;
  args: readonly string[];
  /** The whole environment: nothing is inherited. */
  env: Readonly<Record<string, string>>;
  cwd: string | undefined;
  clock: Clock;
  /** Called with each line of the command's standard error. */
  onStderr(line: string): void;
}

/** Lines on standard output that are no messages, at most: some programs also print there. */
const STDERR_LINE_CHARS = 1_000;
const STDERR_CHARS = 1_048_576;
const MAX_ODD_LINES = 1_000;
/** Grace before SIGTERM, and for output after the exit, in ms. */
const endMs = 500;
/** Grace between SIGTERM and SIGKILL, in ms. */
const killMs = 2_000;

/** Waits for the end of its input, then for as long as a server may take to end by itself. */
const watchGroup = 'read -r _; sleep 2; kill -s KILL -- "-$1"';

/**
 * A transport to a child process, one message a line. The SDK's own passes on more of the environment,
 * has no process group to kill, and takes up to four seconds to close.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: StdioOptions;
  #child: ChildProcessWithoutNullStreams | undefined;
  /** Ends the process group if this process is killed. */
  #watcher: ChildProcess | undefined;
  #oddLines = 0;
  readonly #answers = new Answers();
  /** Settles when the process is gone. */
  #exited: Promise<void> = Promise.resolve();

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  /** The client takes a transport with `stderr` and `pid` for a process, which a probe may not leave without an answer. */
  get stderr(): Readable | null {
    return this.#child?.stderr ?? null;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** @throws McpFault when the command is not there, or another error of the operating system. */
  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#options;
    const child = spawn(command, args, {
      env: { ...env },
      ...compact({ cwd }),
      stdio: 'pipe',
      // A process group of its own, which is killed as one.
      detached: true,
    });
    this.#child = child;
    const splitter = new LineSplitter(MAX_MESSAGE_BYTES, (most) => new MessageTooLongError(most));
    child.stdout.on('data', (chunk: Buffer) => this.#read(splitter, chunk));
    for (const stream of [child.stdin, child.stdout, child.stderr]) {
      stream.on('error', (error) => this.onerror?.(error));
    }
    logStderr(child.stderr, this.#options.onStderr);
    this.#exited = new Promise((resolve) => child.once('exit', () => resolve()));
    child.once('exit', () => this.#ended(child));
    if (child.pid !== undefined) this.#watcher = this.#watch(child.pid);
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => reject(commandFault(error, command, cwd)));
    });
  }

  /** Sends a message without backpressure: the buffer is bounded by the size of the calls' input. */
  async send(given: JSONRPCMessage): Promise<void> {
    const { stdin, exitCode, signalCode } = this.#running();
    if (exitCode !== null || signalCode !== null) throw new Error('the process has ended');
    const message = unwrapAnswer(given);
    this.#answers.asked(message);
    stdin.write(`${printJson(message)}\n`);
  }

  /** Ends the process: by the end of its input, SIGTERM, then SIGKILL. Resolves after its exit. */
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

  /**
   * Starts a shell that ends a process group when this process is gone, however that came: its pipe to the shell ends
   * with it. A server may go on after the end of its own input.
   */
  #watch(group: number): ChildProcess {
    const watcher = spawn('/bin/sh', ['-c', watchGroup, 'mcp-watcher', String(group)], {
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['pipe', 'ignore', 'ignore'],
      // A kill of this process's whole group, such as Ctrl + C, must leave the watcher alive.
      detached: true,
    });
    watcher.once('error', (error) => this.onerror?.(error));
    watcher.unref();
    return watcher;
  }

  /** Reads the last output, for a short time: a process that left the group may keep the pipe open. */
  #ended(child: ChildProcessWithoutNullStreams): void {
    killGroup(child, 'SIGKILL');
    this.#watcher?.kill('SIGKILL');
    let isClosed = false;
    const close = (): void => {
      if (!isClosed) this.onclose?.();
      isClosed = true;
    };
    const cancel = this.#options.clock.after(endMs, close);
    child.once('close', () => {
      cancel();
      close();
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
    if (message !== undefined) return this.onmessage?.(this.#answers.wrap(message));
    this.#oddLines += 1;
    if (this.#oddLines > MAX_ODD_LINES) {
      throw new Error(`it wrote more than ${MAX_ODD_LINES} lines that are no messages`);
    }
  }
}

function parseMessage(line: string): JSONRPCMessage | undefined {
  let read: unknown;
  try {
    // A shell or a runtime may begin the output with a mark of its encoding.
    read = readMessage(line.replace(/^\u{FEFF}/u, ''));
  } catch {
    return undefined;
  }
  try {
    return parseJSONRPCMessage(read);
  } catch {
    return failedAnswer(read);
  }
}

/** The error that an answer which breaks the protocol is to its call, as no other answer comes; undefined for anything else. */
function failedAnswer(read: unknown): JSONRPCMessage | undefined {
  if (!isPlainObject(read) || 'method' in read || !('result' in read || 'error' in read)) {
    return undefined;
  }
  const { id, result, error } = read;
  if (typeof id !== 'string' && typeof id !== 'number') return undefined;
  const errorMessage = isPlainObject(error) ? error['message'] : error;
  const shown = JSON.stringify(error ?? result ?? null).slice(0, 200);
  const message =
    typeof errorMessage === 'string'
      ? errorMessage
      : `the answer is no message of JSON-RPC: ${shown}`;
  return { jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message } };
}

/** Signals a process group; a group that is gone already is no error. */
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
