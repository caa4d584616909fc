import { Inject, Injectable } from '@nestjs/common';
import { and, eq } from 'drizzle-orm';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { extractions } from '../../storage/file-schema.js';
import { localUser, type Asker } from './asker.js';
import { BlobStore } from '../blobs/blob-store.js';
import { EXTRACTOR, type Extractor } from './extractor.js';
import type { PdfOutcome, TextOutcome, TextSource } from './outcomes.js';
import { fitStoredImage, type FittedImage } from '../check/fit-file.js';

/** How long a refusal holds, or what the server lacks: it may have been busy, and what it lacks installed. */
const REFUSAL_FRESH_MS = 3_600_000;

/** Raised where readers find other text in the same file: what earlier ones found is read again. */
const READERS = 2;

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

interface Reading<T> {
  sha256: string;
  method: string;
  read(content: () => Promise<Buffer>): Promise<T>;
  /** Whether what is known still holds. Default: it does. */
  holds?(known: T): Promise<boolean>;
}

/**
 * What is read out of stored files. Each content is read once by each method, whoever asks and how
 * often: the model is shown the same text in every step and turn.
 */
@Injectable()
export class Extractions {
  readonly #underWay = new Map<string, Promise<unknown>>();

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(BlobStore) readonly store: Pick<BlobStore, 'get' | 'has' | 'put'>,
    @Inject(EXTRACTOR) readonly extractor: Extractor,
  ) {}

  readText(sha256: string, source: TextSource, requester = localRequester): Promise<TextOutcome> {
    const read: Reading<TextOutcome>['read'] = (content) =>
      this.extractor.readText(content, source, asker.principalId);
    return this.#once({ sha256, method: `text:${source}:${READERS}`, read }, asker);
  }

  /** The text in an image. */
  readImage(sha256: string, requester = localRequester): Promise<TextOutcome> {
    const read: Reading<TextOutcome>['read'] = (content) =>
      this.extractor.readImage(content, asker.principalId);
    return this.#once({ sha256, method: 'ocr', read }, asker);
  }

  countPages(sha256: string, requester = localRequester): Promise<PdfOutcome> {
    const read: Reading<PdfOutcome>['read'] = (content) =>
      this.extractor.countPages(content, asker.principalId);
    return this.#once({ sha256, method: 'pages', read }, asker);
  }

  /** What is made of an image is kept for an hour: who shows it uses it by then. */
  fitImage(sha256: string, requester = localRequester): Promise<FittedImage> {
    const reading: Reading<FittedImage> = {
      sha256,
      method: 'image',
      read: (content) => fitStoredImage(this, content, asker.principalId),
      holds: async (known) => known.type !== 'changed' || this.store.has(known.sha256),
    };
    return this.#once(reading, requester);
  }

  async #once<T extends { type: string }>(
    reading: Reading<T>,
    { principalId, wait }: Requester,
  ): Promise<T | NotRead> {
    const { sha256, method, holds = async () => true } = reading;
    const known = (await this.#find(sha256, method)) as T | undefined;
    if (known !== undefined && (await holds(known))) return known;
    // By whose it is, too: what waits behind one's own files is nobody else's to wait for.
    const key = `${principalId}:${sha256}:${method}`;
    return wait(() => {
      // One method has one type of outcome: what waits under this key is of it.
      const waiting = this.#underWay.get(key) as Promise<T | NotRead> | undefined;
      if (waiting !== undefined) return waiting;
      const made = this.#read(reading).finally(() => this.#underWay.delete(key));
      this.#underWay.set(key, made);
      return made;
    });
  }

  async #read<T extends { type: string }>({
    sha256,
    method,
    read,
  }: Reading<T>): Promise<T | NotRead> {
    let outcome: T;
    try {
      outcome = await read(() => this.#load(sha256));
    } catch (error) {
      if (error instanceof GoneError) return gone;
      // A fault of the server, not of the file: it is not kept, and ends no turn.
      this.logger.error({ sha256, method, error }, 'a file could not be read');
      return unread;
    }
    const isLacking = outcome.type === 'refused' && 'isPassing' in outcome;
    if (!isLacking) await this.#keep(sha256, method, outcome);
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
    const mayBeBetter = outcome.type === 'refused' || 'isPassing' in outcome;
    const isStale = clock.now() - row.createdAt.getTime() > REFUSAL_FRESH_MS;
    return mayBeBetter && isStale ? undefined : outcome;
  }

  async #keep(sha256: string, method: string, outcome: { type: string }): Promise<void> {
    const { db, clock } = this;
    const made = { outcome, createdAt: new Date(clock.now()) };
    await db
      .insert(extractions)
      .values({ sha256, method, ...made })
      .onConflictDoUpdate({ target: [extractions.sha256, extractions.method], set: made });
  }
}
