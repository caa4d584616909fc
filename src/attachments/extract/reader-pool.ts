import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pLimit from 'p-limit';
import type { Clock } from '../../platform/clock.js';
import type { FileContent } from './outcomes.js';
import type { OutcomeOf, ReaderAnswer, ReaderJob, ReaderRequest } from './reader-job.js';
import { ReaderProcess, type ReaderLimits } from './reader-process.js';

/** How long a process without work stays, in ms. */
const IDLE_MS = 30_000;

export interface ReaderPoolOptions extends ReaderLimits {
  /** Files that are read at a time. */
  concurrency: number;
  clock: Clock;
  onProblem(error: unknown): void;
}

/** A few processes that read files, one file each at a time. */
export class ReaderPool {
  readonly #turns: ReturnType<typeof pLimit>;
  readonly #idle: ReaderProcess[] = [];
  readonly #all = new Set<ReaderProcess>();
  #cancelIdle = (): void => undefined;
  #closed = false;

  constructor(private readonly options: ReaderPoolOptions) {
    this.#turns = pLimit({ concurrency: options.concurrency, rejectOnClear: true });
  }

  run<Job extends ReaderJob>(job: Job, content: FileContent): Promise<OutcomeOf<Job>> {
    return this.#turns(() => this.#read(job, content));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelIdle();
    this.#turns.clearQueue();
    await Promise.all([...this.#all].map((reader) => reader.kill()));
    this.#all.clear();
  }

  async #read<Job extends ReaderJob>(job: Job, content: FileContent): Promise<OutcomeOf<Job>> {
    if (this.#closed) throw new Error('The pool of reader processes is closed');
    const folder = await mkdtemp(path.join(tmpdir(), 'turnpike-read-'));
    const [file, made] = [path.join(folder, 'file'), path.join(folder, 'made')];
    const reader = this.#take();
    try {
      // Not before its turn: those that wait would fill the memory.
      const bytes = typeof content === 'function' ? await content() : content;
      await writeFile(file, bytes, { mode: 0o600 });
      const answer = await this.#ask(reader, { job, file, made });
      const outcome =
        answer.type === 'changed' ? { ...answer, content: await readFile(made) } : answer;
      // A job is answered by its own kind of outcome: the process switches over the kind.
      return outcome as OutcomeOf<Job>;
    } finally {
      this.#giveBack(reader);
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #ask(reader: ReaderProcess, request: ReaderRequest): Promise<ReaderAnswer> {
    // The pool may have been closed while the file was written: nobody would end a process begun now.
    if (this.#closed) throw new Error('The pool of reader processes is closed');
    try {
      return await reader.read(request);
    } catch (error) {
      if (!this.#closed) this.options.onProblem(error);
      throw error;
    }
  }

  #take(): ReaderProcess {
    this.#cancelIdle();
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    const reader = new ReaderProcess(this.options, this.options.clock);
    this.#all.add(reader);
    return reader;
  }

  #giveBack(reader: ReaderProcess): void {
    this.#idle.push(reader);
    if (this.#closed || this.#idle.length < this.#all.size) return;
    this.#cancelIdle = this.options.clock.after(IDLE_MS, () => {
      for (const one of this.#idle) void one.kill();
    });
  }
}
