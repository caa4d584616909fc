import type { BlobStore } from '../blob-store.js';
import { maxImageBytes, maxImageSide } from '../file-limits.js';
import type {
  FileContent,
  Refused,
  ImageLimits,
  ImageOutcome,
  PdfOutcome,
  TextOutcome,
  TextSource,
  ExtractionBudget,
} from './outcomes.js';
import { LOCAL_USER } from '../../access/principal.js';
import { systemClock, type Clock } from '../../platform/clock.js';
import { ExtractorPool, type RefusedFile } from './process/extractor-pool.js';

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
  const { sha256, size } = await store.put(inOnePiece(fitted.content));
  return { type: 'changed', sha256, size, mimeType: fitted.mimeType, why: fitted.why };
}

/** A content as the store takes it. */
export async function* inOnePiece(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
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
