import { execFile, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Clock } from '../../../platform/clock.js';
import { packageRoot } from '../../../platform/package-root.js';
import type { ExtractionAnswer, ExtractionRequest } from './extraction-job.js';

/** A process runs built code only: the tests, which run the source, take it from the build. */
const entry = path.join(packageRoot, 'dist/run-extractor.js');
const MIB = 1024 * 1024;
/** Between two looks at the memory of a process, in ms. */
const LOOK_MS = 100;
/** Share of the memory that its objects may have; decoders take theirs beside them. */
const HEAP_SHARE = 0.6;
const STDERR_CHARS = 2_000;

export interface ExtractorLimits {
  /** Of one file, in ms. */
  timeoutMs: number;
  /** Of the process, in MiB. */
  memoryMb: number;
}

type Message = { type: 'ready' } | { type: 'answer'; answer: ExtractionAnswer };

/** A process that reads one file at a time. It is started when needed, and again when it died. */
export class ExtractorProcess {
  #child: ChildProcess | undefined;
  #stderr = '';
  #isClosed = false;

  constructor(
    private readonly limits: ExtractorLimits,
    private readonly clock: Clock,
  ) {}

  /** Has a process that can read. @throws Error when none can be started. */
  async start(): Promise<ChildProcess> {
    // One that died while it was idle may not have said so yet.
    return this.#child?.connected === true ? this.#child : this.#start();
  }

  /** @throws Error when a process cannot be started, or was killed; what a file does is an answer. */
  async read(request: ExtractionRequest): Promise<ExtractionAnswer> {
    const child = await this.start();
    const stopped = new Stopped(child);
    const cancelTimeout = this.clock.after(this.limits.timeoutMs, () =>
      stopped.because(`it took longer than ${this.limits.timeoutMs / 1_000} s to read`),
    );
    const cancelLooks = this.#watchMemory(child, stopped);
    try {
      child.send(request);
      return await this.#answerOf(child, stopped);
    } finally {
      cancelTimeout();
      cancelLooks();
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
      // Nothing of the server's own settings: what reads hostile files has no secrets.
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
    // One that cannot even be started never exits; whoever waits for it hears the error, too.
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

  /** What it says, or why it died. */
  async #answerOf(child: ChildProcess, stopped: Stopped): Promise<ExtractionAnswer> {
    const over = new AbortController();
    const { signal } = over;
    try {
      const [first] = (await Promise.race([
        once(child, 'message', { signal }),
        once(child, 'exit', { signal }),
      ])) as [unknown];
      if (isMessage(first) && first.type === 'answer') return first.answer;
      if (this.#isClosed && stopped.reason === undefined) {
        throw new Error('The process that reads files was closed');
      }
      return { type: 'refused', reason: `The file cannot be read: ${this.#explain(stopped)}` };
    } finally {
      over.abort();
    }
  }

  #explain({ reason }: Stopped): string {
    if (reason !== undefined) return reason;
    return /heap out of memory|allocation failed/i.test(this.#stderr)
      ? this.#tooMuch()
      : 'its content ended the process that read it';
  }

  #tooMuch(): string {
    return `it needs more than ${this.limits.memoryMb} MiB to be read`;
  }

  #watchMemory(child: ChildProcess, stopped: Stopped): () => void {
    let cancel = (): void => undefined;
    let isOver = false;
    const look = async (): Promise<void> => {
      const bytes = child.pid === undefined ? 0 : await residentBytes(child.pid);
      if (isOver) return;
      if (bytes > this.limits.memoryMb * MIB) stopped.because(this.#tooMuch());
      else next();
    };
    const next = (): void => {
      cancel = this.clock.after(LOOK_MS, () => void look());
    };
    next();
    return () => {
      isOver = true;
      cancel();
    };
  }
}

/** Kills a process, and remembers why it first did. */
class Stopped {
  reason: string | undefined;

  constructor(private readonly child: ChildProcess) {}

  because(reason: string): void {
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
