import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { BlobStore } from '../blob-store.js';
import { maxImageBytes, maxImageSide } from '../file-limits.js';
import { LOCAL_USER } from '../../access/principal.js';
import { systemClock, type Clock } from '../../platform/clock.js';
import { compact } from '../../platform/compact.js';
import type {
  OutcomeOf,
  ExtractionAnswer,
  ExtractionBudget,
  ExtractionJob,
  ExtractionOutcome,
  ExtractionRequest,
  FileContent,
  ImageLimits,
  ImageOutcome,
  PdfOutcome,
  Refused,
  TextOutcome,
  TextSource,
} from './extraction-types.js';
import { ExtractorProcess, type ExtractorLimits } from './process/extractor-process.js';
import { FairSlots, type Slot } from './process/fair-slots.js';

/** A file that could not be read, for the log. */
export interface RefusedFile {
  reason: string;
  /** The parser's error. */
  fault?: string;
}

export interface ExtractorOptions extends Partial<ExtractorLimits> {
  /** Files that are extracted at a time. Default: 2. */
  concurrency?: number;
  /** Characters of a text that are kept. Default: 400,000. */
  maxChars?: number;
  clock?: Clock;
  /** Called with a fault of a process, not of a file. Default: ignored. */
  onProblem?: (error: unknown) => void;
  /** Called for each file that cannot be read. Default: ignored. */
  onRefused?: (why: RefusedFile) => void;
}

/** Share of a file's time limit after which OCR begins no other page. */
const OCR_SHARE = 0.6;
/** Time that an idle process stays, in ms. */
const IDLE_MS = 30_000;
/** Time a job runs before a job of another principal may preempt it, in ms. */
const QUANTUM_MS = 1_000;
const CLOSED = 'The pool of extractor processes is closed';

/**
 * Extracts text and images from untrusted files, in a pool of child processes that are started on demand and can be
 * killed without harm, one file each at a time. A file that cannot be read is an outcome, never an error. Capacity is
 * shared fairly by `principalId`, which defaults to the local user.
 */
export class Extractor {
  readonly #limits: ExtractorLimits;
  readonly #budget: ExtractionBudget;
  readonly #clock: Clock;
  readonly #slots: FairSlots;
  readonly #idle: ExtractorProcess[] = [];
  readonly #all = new Set<ExtractorProcess>();
  #cancelIdle = (): void => undefined;
  #closed = false;

  constructor(private readonly options: ExtractorOptions = {}) {
    const { concurrency: slots = 2, maxChars = 400_000, clock = systemClock } = options;
    const { timeoutMs = 30_000, memoryMb = 768 } = options;
    this.#limits = { timeoutMs, memoryMb };
    this.#budget = { maxChars, ocrMs: this.#limits.timeoutMs * OCR_SHARE };
    this.#clock = clock;
    this.#slots = new FairSlots({ slots, quantumMs: QUANTUM_MS, clock });
  }

  /** The text of a document. PDF pages without a text layer go through OCR, up to a limit. */
  extractText(
    content: FileContent,
    source: TextSource,
    principalId?: string,
  ): Promise<TextOutcome> {
    return this.#extract({ kind: 'text', source, ...this.#budget }, content, principalId);
  }

  /** The text in an image, by OCR. */
  extractImageText(content: FileContent, principalId?: string): Promise<TextOutcome> {
    return this.#extract({ kind: 'image-text', ...this.#budget }, content, principalId);
  }

  countPages(content: FileContent, principalId?: string): Promise<PdfOutcome> {
    return this.#extract({ kind: 'pages' }, content, principalId);
  }

  /** Turns an image upright, and scales it down to the limits. */
  fitImage(content: FileContent, limits: ImageLimits, principalId?: string): Promise<ImageOutcome> {
    return this.#extract({ kind: 'fit-image', ...limits }, content, principalId);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelIdle();
    this.#slots.clear(new Error(CLOSED));
    await Promise.all([...this.#all].map((extractor) => extractor.kill()));
    this.#all.clear();
  }

  #extract<Job extends ExtractionJob>(
    job: Job,
    content: FileContent,
    principalId = LOCAL_USER,
  ): Promise<OutcomeOf<Job>> {
    return this.#slots.run(principalId, (slot) => this.#run(job, content, slot));
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
    this.options.onRefused?.(compact({ reason: answer.reason, fault }));
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
      if (!this.#closed && !signal.aborted) this.options.onProblem?.(error);
      throw error;
    } finally {
      signal.removeEventListener('abort', kill);
    }
  }

  #take(): ExtractorProcess {
    this.#cancelIdle();
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    const extractor = new ExtractorProcess(this.#limits, this.#clock);
    this.#all.add(extractor);
    return extractor;
  }

  #giveBack(extractor: ExtractorProcess): void {
    this.#idle.push(extractor);
    if (this.#closed || this.#idle.length < this.#all.size) return;
    this.#cancelIdle = this.#clock.after(IDLE_MS, () => {
      for (const idle of this.#idle) void idle.kill();
    });
  }
}

export interface FitDeps {
  store: Pick<BlobStore, 'put'>;
  extractor: Pick<Extractor, 'fitImage'>;
}

/** An image fitted to the model's limits; a changed image by its stored replacement. */
export type FittedImage =
  | { type: 'fits' }
  | {
      type: 'changed';
      sha256: string;
      /** Bytes. */
      size: number;
      mimeType: string;
      /** The change that was made, as `turned upright`. */
      why: string;
    }
  | Refused;

/**
 * Turns an image upright and scales it to the model's limits; a changed image is put into the
 * store.
 */
export async function fitStoredImage(
  { store, extractor }: FitDeps,
  content: FileContent,
  principalId: string,
  maxSide = maxImageSide,
): Promise<FittedImage> {
  const limits = { maxBytes: maxImageBytes, maxSide };
  const fitted = await extractor.fitImage(content, limits, principalId);
  if (fitted.type === 'refused') return fitted;
  if (fitted.type === 'fits') return { type: 'fits' };
  const { sha256, size } = await store.put([fitted.content]);
  return { type: 'changed', sha256, size, mimeType: fitted.mimeType, why: fitted.why };
}
