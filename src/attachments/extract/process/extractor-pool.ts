import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Clock } from '../../../platform/clock.js';
import { compact } from '../../../platform/compact.js';
import { FairSlots, type Slot } from './fair-slots.js';
import type { FileContent } from '../outcomes.js';
import type {
  OutcomeOf,
  ExtractionAnswer,
  ExtractionJob,
  ExtractionOutcome,
  ExtractionRequest,
} from './extraction-job.js';
import { ExtractorProcess, type ExtractorLimits } from './extractor-process.js';

/** How long a process without work stays, in ms. */
const IDLE_MS = 30_000;
/** How long a file is read before it may have to make room for another user's, in ms. */
const QUANTUM_MS = 1_000;
const CLOSED = 'The pool of reader processes is closed';

/** Why a file was not read. */
export interface RefusedFile {
  reason: string;
  /** What a parser said of it. */
  fault?: string;
}

export interface ExtractorPoolOptions extends ExtractorLimits {
  /** Files that are read at a time. */
  concurrency: number;
  clock: Clock;
  onProblem(error: unknown): void;
  onRefused(why: RefusedFile): void;
}

/** A few processes that read files, one file each at a time, shared fairly by those who sent them. */
export class ExtractorPool {
  readonly #slots: FairSlots;
  readonly #idle: ExtractorProcess[] = [];
  readonly #all = new Set<ExtractorProcess>();
  #cancelIdle = (): void => undefined;
  #closed = false;

  constructor(private readonly options: ExtractorPoolOptions) {
    const { concurrency: slots, clock } = options;
    this.#slots = new FairSlots({ slots, quantumMs: QUANTUM_MS, clock });
  }

  /** @param principalId whose file it is. */
  run<Job extends ExtractionJob>(
    job: Job,
    content: FileContent,
    principalId: string,
  ): Promise<OutcomeOf<Job>> {
    return this.#slots.run(principalId, (slot) => this.#read(job, content, slot));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelIdle();
    this.#slots.clear(new Error(CLOSED));
    await Promise.all([...this.#all].map((reader) => reader.kill()));
    this.#all.clear();
  }

  async #read<Job extends ExtractionJob>(
    job: Job,
    content: FileContent,
    slot: Slot,
  ): Promise<OutcomeOf<Job>> {
    if (this.#closed) throw new Error(CLOSED);
    const folder = await mkdtemp(path.join(tmpdir(), 'turnpike-read-'));
    const [file, made] = [path.join(folder, 'file'), path.join(folder, 'made')];
    const reader = this.#take();
    try {
      // Not before its turn: those that wait would fill the memory.
      const bytes = typeof content === 'function' ? await content() : content;
      await writeFile(file, bytes, { mode: 0o600 });
      const answer = await this.#ask(reader, { job, file, made }, slot);
      const outcome = await this.#toOutcome(answer, made);
      // A job is answered by its own kind of outcome: the process switches over the kind.
      return outcome as OutcomeOf<Job>;
    } finally {
      this.#giveBack(reader);
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #toOutcome(answer: ExtractionAnswer, made: string): Promise<ExtractionOutcome> {
    if (answer.type === 'changed') return { ...answer, content: await readFile(made) };
    if (answer.type !== 'refused') return answer;
    const { fault, ...outcome } = answer;
    this.options.onRefused(compact({ reason: answer.reason, fault }));
    return outcome;
  }

  async #ask(
    reader: ExtractorProcess,
    request: ExtractionRequest,
    { signal, begin }: Slot,
  ): Promise<ExtractionAnswer> {
    // The pool may have been closed while the file was written: nobody would end a process begun now.
    if (this.#closed) throw new Error(CLOSED);
    const kill = (): void => void reader.kill();
    signal.addEventListener('abort', kill);
    try {
      await reader.start();
      begin();
      return await reader.read(request);
    } catch (error) {
      if (!this.#closed && !signal.aborted) this.options.onProblem(error);
      throw error;
    } finally {
      signal.removeEventListener('abort', kill);
    }
  }

  #take(): ExtractorProcess {
    this.#cancelIdle();
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    const reader = new ExtractorProcess(this.options, this.options.clock);
    this.#all.add(reader);
    return reader;
  }

  #giveBack(reader: ExtractorProcess): void {
    this.#idle.push(reader);
    if (this.#closed || this.#idle.length < this.#all.size) return;
    this.#cancelIdle = this.options.clock.after(IDLE_MS, () => {
      for (const one of this.#idle) void one.kill();
    });
  }
}
