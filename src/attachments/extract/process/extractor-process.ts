import { execFile, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Clock } from '../../../platform/clock.js';
import { packageRoot } from '../../../platform/process/package-root.js';
import type { ExtractionAnswer, ExtractionRequest } from '../extraction-types.js';

/** The entry is always built code: tests, which run the sources, take it from the build too. */
const entry = path.join(packageRoot, 'dist/run-extractor.js');
const MIB = 1024 * 1024;
/** Interval at which a process's memory is polled, in ms. */
const POLL_MS = 100;
/** Share of the memory limit that the JavaScript heap may have; decoders allocate outside of it. */
const HEAP_SHARE = 0.6;
const STDERR_CHARS = 2_000;

export interface ExtractorLimits {
  /** Time limit for a job, in ms. */
  timeoutMs: number;
  /** Memory limit of the process, in MiB. */
  memoryMb: number;
}

type Message = { type: 'ready' } | { type: 'answer'; answer: ExtractionAnswer };

/** A child process that runs one job at a time. It is started on demand, and again after it died. */
export class ExtractorProcess {
  #child: ChildProcess | undefined;
  #stderr = '';
  #isClosed = false;

  constructor(
    private readonly limits: ExtractorLimits,
    private readonly clock: Clock,
  ) {}

  /** Starts the process unless it is up. @throws Error when it cannot be started. */
  async start(): Promise<ChildProcess> {
    // The exit event of a process that died while idle may not have come yet.
    return this.#child?.connected === true ? this.#child : this.#start();
  }

  /**
   * Runs a job.
   * @throws Error when the process cannot be started or was killed; a fault of the file is an
   * answer.
   */
  async run(request: ExtractionRequest): Promise<ExtractionAnswer> {
    const child = await this.start();
    const stop = new KillSwitch(child);
    const cancelTimeout = this.clock.after(this.limits.timeoutMs, () =>
      stop.kill(`it took longer than ${this.limits.timeoutMs / 1_000} s to read`),
    );
    const cancelPolling = this.#pollMemory(child, stop);
    try {
      child.send(request);
      return await this.#answerOf(child, stop);
    } finally {
      cancelTimeout();
      cancelPolling();
    }
  }

  async kill(): Promise<void> {
    this.#isClosed = true;
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  async #start(): Promise<ChildProcess> {
    this.#isClosed = false;
    const heapMb = Math.round(this.limits.memoryMb * HEAP_SHARE);
    const child = fork(entry, [], {
      // The server's environment is not passed on: a process that reads hostile files has no
      // secrets.
      env: { LANG: 'C.UTF-8', TMPDIR: tmpdir() },
      execArgv: [`--max-old-space-size=${heapMb}`],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_CHARS);
    });
    const forget = (): void => {
      if (this.#child === child) this.#child = undefined;
    };
    child.once('exit', forget);
    // A process that cannot be spawned emits `error` and no `exit`; `once` rejects with it as well.
    child.on('error', forget);
    this.#child = child;
    const [first] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [
      unknown,
    ];
    if (!isMessage(first) || first.type !== 'ready') {
      throw new Error(`A process that reads files did not start: ${this.#stderr}`);
    }
    return child;
  }

  /** The process's answer, or a refusal that says why it died. */
  async #answerOf(child: ChildProcess, stop: KillSwitch): Promise<ExtractionAnswer> {
    const over = new AbortController();
    const { signal } = over;
    try {
      const [first] = (await Promise.race([
        once(child, 'message', { signal }),
        once(child, 'exit', { signal }),
      ])) as [unknown];
      if (isMessage(first) && first.type === 'answer') return first.answer;
      if (this.#isClosed && stop.reason === undefined) {
        throw new Error('The process that reads files was closed');
      }
      return { type: 'refused', reason: `The file cannot be read: ${this.#explain(stop)}` };
    } finally {
      over.abort();
    }
  }

  #explain({ reason }: KillSwitch): string {
    if (reason !== undefined) return reason;
    return /heap out of memory|allocation failed/i.test(this.#stderr)
      ? this.#tooMuch()
      : 'its content ended the process that read it';
  }

  #tooMuch(): string {
    return `it needs more than ${this.limits.memoryMb} MiB to be read`;
  }

  #pollMemory(child: ChildProcess, stop: KillSwitch): () => void {
    let cancel = (): void => undefined;
    let isOver = false;
    const poll = async (): Promise<void> => {
      const bytes = child.pid === undefined ? 0 : await residentBytes(child.pid);
      if (isOver) return;
      if (bytes > this.limits.memoryMb * MIB) stop.kill(this.#tooMuch());
      else next();
    };
    const next = (): void => {
      cancel = this.clock.after(POLL_MS, () => void poll());
    };
    next();
    return () => {
      isOver = true;
      cancel();
    };
  }
}

/** Kills a process and keeps the first reason. */
class KillSwitch {
  reason: string | undefined;

  constructor(private readonly child: ChildProcess) {}

  kill(reason: string): void {
    this.reason ??= reason;
    this.child.kill('SIGKILL');
  }
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && 'type' in value;
}

/** Resident memory of another process, in bytes; 0 when the process is gone. */
async function residentBytes(pid: number): Promise<number> {
  try {
    if (process.platform === 'linux') {
      const status = await readFile(`/proc/${pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1_024;
    }
    const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
    return Number(stdout.trim()) * 1_024;
  } catch {
    // The process ended between two looks: its exit event tells the rest.
    return 0;
  }
}
