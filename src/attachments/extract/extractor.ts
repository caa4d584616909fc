import { LOCAL_USER } from '../../access/principal.js';
import { systemClock, type Clock } from '../../platform/clock.js';
import type {
  FileContent,
  ImageLimits,
  ImageOutcome,
  PdfOutcome,
  TextOutcome,
  TextSource,
} from './outcomes.js';
import { ExtractorPool, type RefusedFile } from './process/extractor-pool.js';

/**
 * Extracts text and images from untrusted files. A file that cannot be read is an outcome, never an
 * error. Capacity is shared fairly by `principalId`, which defaults to the local user.
 */
export interface Extractor {
  /** The text of a document. PDF pages without a text layer go through OCR, up to a limit. */
  extractText(content: FileContent, source: TextSource, principalId?: string): Promise<TextOutcome>;
  /** The text in an image, by OCR. */
  extractImageText(content: FileContent, principalId?: string): Promise<TextOutcome>;
  countPages(content: FileContent, principalId?: string): Promise<PdfOutcome>;
  /** Turns an image upright, and scales it down to the limits. */
  fitImage(content: FileContent, limits: ImageLimits, principalId?: string): Promise<ImageOutcome>;
  close(): Promise<void>;
}

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

/** An extractor over child processes, started on demand: a process can be killed without harm. */
export function openExtractor(options: ExtractorOptions = {}): Extractor {
  const { maxChars = 400_000, timeoutMs = 30_000 } = options;
  const budget = { maxChars, ocrMs: timeoutMs * OCR_SHARE };
  const pool = new ExtractorPool({
    concurrency: options.concurrency ?? 2,
    timeoutMs,
    memoryMb: options.memoryMb ?? 768,
    clock: options.clock ?? systemClock,
    onProblem: options.onProblem ?? (() => undefined),
    onRefused: options.onRefused ?? (() => undefined),
  });
  return {
    extractText: (content, source, principalId = LOCAL_USER) =>
      pool.run({ kind: 'text', source, ...budget }, content, principalId),
    extractImageText: (content, principalId = LOCAL_USER) =>
      pool.run({ kind: 'image-text', ...budget }, content, principalId),
    countPages: (content, principalId = LOCAL_USER) =>
      pool.run({ kind: 'pages' }, content, principalId),
    fitImage: (content, limits, principalId = LOCAL_USER) =>
      pool.run({ kind: 'fit-image', ...limits }, content, principalId),
    close: () => pool.close(),
  };
}

/** Injects the process's `Extractor`. */
export const EXTRACTOR = Symbol('Extractor');
