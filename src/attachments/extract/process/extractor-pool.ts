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

/** Time that an idle process stays, in ms. */
const IDLE_MS = 30_000;
/** Time a job runs before a job of another principal may preempt it, in ms. */
const QUANTUM_MS = 1_000;
const CLOSED = 'The pool of extractor processes is closed';

/** A file that could not be read, for the log. */
export interface RefusedFile {
  reason: string;
  /** The parser's error. */
  fault?: string;
}

export interface ExtractorPoolOptions extends ExtractorLimits {
  /** Jobs that run at a time. */
  concurrency: number;
  clock: Clock;
  onProblem(error: unknown): void;
  onRefused(why: RefusedFile): void;
}

/** A pool of extractor processes, one job each at a time, shared fairly by principals. */
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

  /** @param principalId the principal that the capacity is charged to. */
  run<Job extends ExtractionJob>(
    job: Job,
    content: FileContent,
    principalId: string,
  ): Promise<OutcomeOf<Job>> {
    return this.#slots.run(principalId, (slot) => this.#run(job, content, slot));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelIdle();
    this.#slots.clear(new Error(CLOSED));
    await Promise.all([...this.#all].map((extractor) => extractor.kill()));
    this.#all.clear();
  }

  async #run<Job extends ExtractionJob>(
    job: Job,
    content: FileContent,
    slot: Slot,
  ): Promise<OutcomeOf<Job>> {
    if (this.#closed) throw new Error(CLOSED);
    const folder = await mkdtemp(path.join(tmpdir(), 'turnpike-read-'));
    const [file, made] = [path.join(folder, 'file'), path.join(folder, 'made')];
    const extractor = this.#take();
    try {
      // Loaded only now: the contents of queued jobs would fill the memory.
      const bytes = typeof content === 'function' ? await content() : content;
      await writeFile(file, bytes, { mode: 0o600 });
      const answer = await this.#ask(extractor, { job, file, made }, slot);
      const outcome = await this.#toOutcome(answer, made);
      // The process switches over the job's kind, so the outcome is of that kind.
      return outcome as OutcomeOf<Job>;
    } finally {
      this.#giveBack(extractor);
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
    extractor: ExtractorProcess,
    request: ExtractionRequest,
    { signal, begin }: Slot,
  ): Promise<ExtractionAnswer> {
    // The pool may have been closed while the file was written: a process started now would never end.
    if (this.#closed) throw new Error(CLOSED);
    const kill = (): void => void extractor.kill();
    signal.addEventListener('abort', kill);
    try {
      await extractor.start();
      begin();
      return await extractor.run(request);
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
    const extractor = new ExtractorProcess(this.options, this.options.clock);
    this.#all.add(extractor);
    return extractor;
  }

  #giveBack(extractor: ExtractorProcess): void {
    this.#idle.push(extractor);
    if (this.#closed || this.#idle.length < this.#all.size) return;
    this.#cancelIdle = this.options.clock.after(IDLE_MS, () => {
      for (const idle of this.#idle) void idle.kill();
    });
  }
}
