import { and, eq } from 'drizzle-orm';
import type { Clock } from '../platform/clock.js';
import type { Logger } from '../platform/logger.js';
import type { Database } from '../storage/connection.js';
import { extractions } from '../storage/file-schema.js';
import type { BlobStore } from './blobs/blob-store.js';
import type { Extractor } from './extract/extractor.js';
import type { PdfOutcome, TextOutcome, TextSource } from './extract/outcomes.js';

/** How long a refusal holds: it may have been the machine's fault, that had too much to do. */
const REFUSAL_FRESH_MS = 3_600_000;

export interface ExtractionDeps {
  db: Database;
  store: Pick<BlobStore, 'get'>;
  extractor: Extractor;
  clock: Clock;
  logger: Logger;
}

const gone = {
  type: 'refused',
  reason: 'The file is no longer stored: send it again',
} as const;

const unread = {
  type: 'refused',
  reason: 'The server could not read the file; its log says why. Send it again later',
} as const;

class GoneError extends Error {}

type NotRead = typeof gone | typeof unread;

/**
 * What is read out of stored files. Each content is read once by each method, whoever asks and how
 * often: the model is shown the same text in every step and turn.
 */
export class Extractions {
  readonly #underWay = new Map<string, Promise<unknown>>();

  constructor(private readonly deps: ExtractionDeps) {}

  readText(sha256: string, source: TextSource): Promise<TextOutcome> {
    return this.#once(sha256, `text:${source}`, (content) =>
      this.deps.extractor.readText(content, source),
    );
  }

  /** The text in an image. */
  readImage(sha256: string): Promise<TextOutcome> {
    return this.#once(sha256, 'ocr', (content) => this.deps.extractor.readImage(content));
  }

  countPages(sha256: string): Promise<PdfOutcome> {
    return this.#once(sha256, 'pages', (content) => this.deps.extractor.countPages(content));
  }

  #once<T extends { type: string }>(
    sha256: string,
    method: string,
    read: (content: () => Promise<Buffer>) => Promise<T>,
  ): Promise<T | NotRead> {
    const key = `${sha256}:${method}`;
    // One method has one type of outcome: what waits under this key is of it.
    const waiting = this.#underWay.get(key) as Promise<T | NotRead> | undefined;
    if (waiting !== undefined) return waiting;
    const reading = this.#read(sha256, method, read).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, reading);
    return reading;
  }

  async #read<T extends { type: string }>(
    sha256: string,
    method: string,
    read: (content: () => Promise<Buffer>) => Promise<T>,
  ): Promise<T | NotRead> {
    const known = await this.#find(sha256, method);
    if (known !== undefined) return known as T;
    let outcome: T;
    try {
      outcome = await read(() => this.#load(sha256));
    } catch (error) {
      if (error instanceof GoneError) return gone;
      // A fault of the server, not of the file: it is not kept, and ends no turn.
      this.deps.logger.error({ sha256, method, error }, 'a file could not be read');
      return unread;
    }
    if (!('isPassing' in outcome)) await this.#keep(sha256, method, outcome);
    return outcome;
  }

  async #load(sha256: string): Promise<Buffer> {
    const content = await this.deps.store.get(sha256);
    if (content === undefined) throw new GoneError();
    return content;
  }

  async #find(sha256: string, method: string): Promise<unknown> {
    const { db, clock } = this.deps;
    const [row] = await db
      .select({ outcome: extractions.outcome, createdAt: extractions.createdAt })
      .from(extractions)
      .where(and(eq(extractions.sha256, sha256), eq(extractions.method, method)));
    if (row === undefined) return undefined;
    const isRefusal = (row.outcome as { type: string }).type === 'refused';
    const isStale = clock.now() - row.createdAt.getTime() > REFUSAL_FRESH_MS;
    return isRefusal && isStale ? undefined : row.outcome;
  }

  async #keep(sha256: string, method: string, outcome: { type: string }): Promise<void> {
    const { db, clock } = this.deps;
    const made = { outcome, createdAt: new Date(clock.now()) };
    await db
      .insert(extractions)
      .values({ sha256, method, ...made })
      .onConflictDoUpdate({ target: [extractions.sha256, extractions.method], set: made });
  }
}
