import { Inject, Injectable } from '@nestjs/common';
import { and, eq } from 'drizzle-orm';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { extractions } from '../../storage/file-schema.js';
import { localRequester, type Requester } from '../file-memory.js';
import { BlobStore } from '../blob-store.js';
import { Extractor, fitStoredImage, type FittedImage } from './extractor.js';
import type { PdfOutcome, TextOutcome, TextSource } from './extraction-types.js';
import { maxImageSide } from '../file-limits.js';

/**
 * TTL of a refusal, in ms: the server may have been busy, or lacked a package that is installed by
 * then.
 */
const REFUSAL_FRESH_MS = 3_600_000;

/**
 * Version of the extractors: raised when they find other text in the same file, so that stored text
 * is replaced.
 */
const EXTRACTORS = 3;

/** Version of the fitting of images: raised when other images have to change. */
const FITTER = 2;

const gone = {
  type: 'refused',
  reason: 'The file is no longer stored: send it again',
} as const;

const unread = {
  type: 'refused',
  reason: 'The server could not read the file; its log says why. Send it again later',
} as const;

class GoneError extends Error {}

type Unavailable = typeof gone | typeof unread;

interface Extraction<T> {
  sha256: string;
  method: string;
  run(content: () => Promise<Buffer>): Promise<T>;
  /** Whether a stored outcome is still valid. Default: always. */
  isValid?(stored: T): Promise<boolean>;
}

/**
 * Text and images extracted from stored files. Each content is extracted once by each method, for all
 * requests: the model is shown the same text in every step and turn.
 */
@Injectable()
export class Extractions {
  readonly #pending = new Map<string, Promise<unknown>>();

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(BlobStore) readonly store: Pick<BlobStore, 'get' | 'has' | 'put'>,
    readonly extractor: Extractor,
  ) {}

  extractText(
    sha256: string,
    source: TextSource,
    requester = localRequester,
  ): Promise<TextOutcome> {
    const run: Extraction<TextOutcome>['run'] = (content) =>
      this.extractor.extractText(content, source, requester.principalId);
    return this.#once({ sha256, method: `text:${source}:${EXTRACTORS}`, run }, requester);
  }

  /** The text in an image. */
  extractImageText(sha256: string, requester = localRequester): Promise<TextOutcome> {
    const run: Extraction<TextOutcome>['run'] = (content) =>
      this.extractor.extractImageText(content, requester.principalId);
    return this.#once({ sha256, method: 'ocr', run }, requester);
  }

  countPages(sha256: string, requester = localRequester): Promise<PdfOutcome> {
    const run: Extraction<PdfOutcome>['run'] = (content) =>
      this.extractor.countPages(content, requester.principalId);
    return this.#once({ sha256, method: 'pages', run }, requester);
  }

  /**
   * The fitted image is kept for an hour in the blob store; a session that shows it keeps it
   * longer.
   *
   * @param maxSide pixels of its longer side.
   */
  fitImage(
    sha256: string,
    requester = localRequester,
    maxSide = maxImageSide,
  ): Promise<FittedImage> {
    const extraction: Extraction<FittedImage> = {
      sha256,
      method: `image:${FITTER}${maxSide === maxImageSide ? '' : `:${maxSide}`}`,
      run: (content) => fitStoredImage(this, content, requester.principalId, maxSide),
      isValid: async (stored) => stored.type !== 'changed' || this.store.has(stored.sha256),
    };
    return this.#once(extraction, requester);
  }

  async #once<T extends { type: string }>(
    extraction: Extraction<T>,
    { principalId, wait }: Requester,
  ): Promise<T | Unavailable> {
    const { sha256, method, isValid = async () => true } = extraction;
    const stored = (await this.#find(sha256, method)) as T | undefined;
    if (stored !== undefined && (await isValid(stored))) return stored;
    // The key includes the principal: sharing one's pending extraction would mean waiting in its queue.
    const key = `${principalId}:${sha256}:${method}`;
    return wait(() => {
      // A method has one type of outcome, so the pending promise has it too.
      const pending = this.#pending.get(key) as Promise<T | Unavailable> | undefined;
      if (pending !== undefined) return pending;
      const started = this.#run(extraction).finally(() => this.#pending.delete(key));
      this.#pending.set(key, started);
      return started;
    });
  }

  async #run<T extends { type: string }>({
    sha256,
    method,
    run,
  }: Extraction<T>): Promise<T | Unavailable> {
    let outcome: T;
    try {
      outcome = await run(() => this.#load(sha256));
    } catch (error) {
      if (error instanceof GoneError) return gone;
      // A fault of the server, not of the file, is not stored and ends no turn.
      this.logger.error(
        { sha256, method, error },
        'could not read a file; its turn goes on without its content',
      );
      return unread;
    }
    const isTransient = outcome.type === 'refused' && 'isPassing' in outcome;
    if (!isTransient) await this.#store(sha256, method, outcome);
    return outcome;
  }

  async #load(sha256: string): Promise<Buffer> {
    const content = await this.store.get(sha256);
    if (content === undefined) throw new GoneError();
    return content;
  }

  async #find(sha256: string, method: string): Promise<unknown> {
    const { db, clock } = this;
    const [row] = await db
      .select({ outcome: extractions.outcome, createdAt: extractions.createdAt })
      .from(extractions)
      .where(and(eq(extractions.sha256, sha256), eq(extractions.method, method)));
    if (row === undefined) return undefined;
    const outcome = row.outcome as { type: string };
    const mayImprove = outcome.type === 'refused' || 'isPassing' in outcome;
    const isStale = clock.now() - row.createdAt.getTime() > REFUSAL_FRESH_MS;
    return mayImprove && isStale ? undefined : outcome;
  }

  async #store(sha256: string, method: string, outcome: { type: string }): Promise<void> {
    const { db, clock } = this;
    const made = { outcome, createdAt: new Date(clock.now()) };
    await db
      .insert(extractions)
      .values({ sha256, method, ...made })
      .onConflictDoUpdate({ target: [extractions.sha256, extractions.method], set: made });
  }
}
