import { LOCAL_USER } from '../../access/principal.js';
import { systemClock, type Clock } from '../../platform/clock.js';
import type { ExtractionBudget } from './extracted-text.js';
import type {
  FileContent,
  ImageLimits,
  ImageOutcome,
  PdfOutcome,
  TextOutcome,
  TextSource,
} from './outcomes.js';
import { ExtractorPool, type RefusedFile } from './process/extractor-pool.js';

export interface ExtractorOptions {
  /** Files that are extracted at a time. Default: 2. */
  concurrency?: number;
  /** Time limit for a file, in ms. Default: 30,000. */
  timeoutMs?: number;
  /** Memory limit of a process, in MiB. Default: 768. */
  memoryMb?: number;
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

/**
 * Extracts text and images from untrusted files, in child processes that are started on demand and can be killed without
 * harm. A file that cannot be read is an outcome, never an error. Capacity is shared fairly by `principalId`, which
 * defaults to the local user.
 */
export class Extractor {
  readonly #pool: ExtractorPool;
  readonly #budget: ExtractionBudget;

  constructor(options: ExtractorOptions = {}) {
    const { maxChars = 400_000, timeoutMs = 30_000 } = options;
    this.#budget = { maxChars, ocrMs: timeoutMs * OCR_SHARE };
    this.#pool = new ExtractorPool({
      concurrency: options.concurrency ?? 2,
      timeoutMs,
      memoryMb: options.memoryMb ?? 768,
      clock: options.clock ?? systemClock,
      onProblem: options.onProblem ?? (() => undefined),
      onRefused: options.onRefused ?? (() => undefined),
    });
  }

  /** The text of a document. PDF pages without a text layer go through OCR, up to a limit. */
  extractText(
    content: FileContent,
    source: TextSource,
    principalId = LOCAL_USER,
  ): Promise<TextOutcome> {
    return this.#pool.run({ kind: 'text', source, ...this.#budget }, content, principalId);
  }

  /** The text in an image, by OCR. */
  extractImageText(content: FileContent, principalId = LOCAL_USER): Promise<TextOutcome> {
    return this.#pool.run({ kind: 'image-text', ...this.#budget }, content, principalId);
  }

  countPages(content: FileContent, principalId = LOCAL_USER): Promise<PdfOutcome> {
    return this.#pool.run({ kind: 'pages' }, content, principalId);
  }

  /** Turns an image upright, and scales it down to the limits. */
  fitImage(
    content: FileContent,
    limits: ImageLimits,
    principalId = LOCAL_USER,
  ): Promise<ImageOutcome> {
    return this.#pool.run({ kind: 'fit-image', ...limits }, content, principalId);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
