import { systemClock, type Clock } from '../../platform/clock.js';
import type {
  FileContent,
  ImageLimits,
  ImageOutcome,
  PdfOutcome,
  TextOutcome,
  TextSource,
} from './outcomes.js';
import { ReaderPool } from './reader-pool.js';

/** Reads files that nobody trusts. A file that cannot be read is an outcome, never an error. */
export interface Extractor {
  /** The text of a document; of a PDF without any, what OCR finds on its first pages. */
  readText(content: FileContent, source: TextSource): Promise<TextOutcome>;
  /** The text in an image. */
  readImage(content: FileContent): Promise<TextOutcome>;
  countPages(content: FileContent): Promise<PdfOutcome>;
  /** Makes an image upright, and small enough. */
  fitImage(content: FileContent, limits: ImageLimits): Promise<ImageOutcome>;
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
}

/** Of the time for one file, after which OCR begins no other page. */
const OCR_SHARE = 0.6;

/** Files are read in processes of their own, started when needed: one can be killed without harm. */
export function openExtractor(options: ExtractorOptions = {}): Extractor {
  const { maxChars = 400_000, timeoutMs = 30_000 } = options;
  const budget = { maxChars, ocrMs: timeoutMs * OCR_SHARE };
  const pool = new ReaderPool({
    concurrency: options.concurrency ?? 2,
    timeoutMs,
    memoryMb: options.memoryMb ?? 768,
    clock: options.clock ?? systemClock,
    onProblem: options.onProblem ?? (() => undefined),
  });
  return {
    readText: (content, source) => pool.run({ kind: 'text', source, ...budget }, content),
    readImage: (content) => pool.run({ kind: 'image-text', ...budget }, content),
    countPages: (content) => pool.run({ kind: 'pages' }, content),
    fitImage: (content, limits) => pool.run({ kind: 'fit-image', ...limits }, content),
    close: () => pool.close(),
  };
}
