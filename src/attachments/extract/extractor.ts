import { LOCAL_USER } from '../../access/ownership/local-user.js';
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
 * Reads files that nobody trusts. A file that cannot be read is an outcome, never an error. Whose it is
 * decides when it is read: nobody's files hold up another's. Default: the local user's.
 */
export interface Extractor {
  /** The text of a document; of the pages of a PDF that have none, what OCR finds on the first ones. */
  readText(content: FileContent, source: TextSource, principalId?: string): Promise<TextOutcome>;
  /** The text in an image. */
  readImage(content: FileContent, principalId?: string): Promise<TextOutcome>;
  countPages(content: FileContent, principalId?: string): Promise<PdfOutcome>;
  /** Makes an image upright, and small enough. */
  fitImage(content: FileContent, limits: ImageLimits, principalId?: string): Promise<ImageOutcome>;
  close(): Promise<void>;
}

export interface ExtractorOptions {
  /** Files that are read at a time. Default: 2. */
  concurrency?: number;
  /** Of one file, in ms. Default: 30,000. */
  timeoutMs?: number;
  /** Of one process, in MiB. Default: 768. */
  memoryMb?: number;
  /** Of one text. Default: 400,000. */
  maxChars?: number;
  clock?: Clock;
  /** Hears what is wrong with a process, not with a file. Default: nobody. */
  onProblem?: (error: unknown) => void;
  /** Hears of each file that cannot be read. Default: nobody. */
  onRefused?: (why: RefusedFile) => void;
}

/** Of the time for one file, after which OCR begins no other page. */
const OCR_SHARE = 0.6;

/** Files are read in processes of their own, started when needed: one can be killed without harm. */
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
    readText: (content, source, whose = LOCAL_USER) =>
      pool.run({ kind: 'text', source, ...budget }, content, whose),
    readImage: (content, whose = LOCAL_USER) =>
      pool.run({ kind: 'image-text', ...budget }, content, whose),
    countPages: (content, whose = LOCAL_USER) => pool.run({ kind: 'pages' }, content, whose),
    fitImage: (content, limits, whose = LOCAL_USER) =>
      pool.run({ kind: 'fit-image', ...limits }, content, whose),
    close: () => pool.close(),
  };
}

/** Injects the process's `Extractor`. */
export const EXTRACTOR = Symbol('Extractor');
