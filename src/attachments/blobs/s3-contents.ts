import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { untilAborted } from '../../platform/async/deadlines.js';
import { closing } from '../../platform/files/folder-handle.js';
import { newId } from '../../platform/ids.js';
import type { Logger } from '../../platform/logger.js';
import { rechunk } from '../../platform/rechunk.js';
import { hostOf, UnreachableError } from '../../storage/database-errors.js';
import type { BlobContents } from '../blob-store.js';
import { S3Requests, StoreFault, type S3Options, type S3Settings } from './s3-requests.js';

/** Bytes of one piece. */
const PIECE_BYTES = 256 * 1024;

/** The object has another length than its row says: it is not the content. */
class WrongSize extends Error {}

/**
 * Contents as objects of a store with the API of S3, `<url>/<contentId>`. Whether the bucket stands in the URL's path or
 * in its host makes no difference. Rows say which contents there are and how long, so nothing lists the bucket, and no
 * answer has to say its length: stores and proxies that stream, or compress, do not.
 */
export class S3Contents implements BlobContents {
  readonly #url: string;
  readonly #requests: S3Requests;

  /** @param options what a reader takes for a piece does not count as the store's silence. */
  constructor(url: string, settings: S3Settings, options: S3Options = {}) {
    // Signed as a blank by some, and as itself by others, unless it is written so.
    this.#url = url.replace(/\/+$/, '').replaceAll('+', '%2B');
    this.#requests = new S3Requests(this.#url, settings, options);
  }

  /** A PUT says its length and hash first: the content waits in a file meanwhile, from which it can be sent again. */
  async write(contentId: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    const folder = await mkdtemp(path.join(tmpdir(), 'turnpike-s3-'));
    try {
      const file = path.join(folder, contentId);
      const sha256 = await spool(file, content);
      const init = {
        body: await openAsBlob(file),
        headers: { 'x-amz-content-sha256': sha256, 'content-type': 'application/octet-stream' },
      };
      const answer = await this.#typed(this.#requests.send('PUT', contentId, init));
      await answer.body?.cancel();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async has(contentId: string, size: number): Promise<boolean> {
    const answer = await this.#typed(this.#requests.send('HEAD', contentId));
    return answer.ok && (lengthOf(answer) ?? size) === size;
  }

  async read(contentId: string, size: number): Promise<Buffer | undefined> {
    const pieces: Uint8Array[] = [];
    try {
      for await (const piece of this.#bytes(contentId, size)) pieces.push(piece);
    } catch (error) {
      if (error instanceof WrongSize) return undefined;
      throw this.#requests.unavailable(error);
    }
    const content = Buffer.concat(pieces);
    return content.length === size ? content : undefined;
  }

  async *pieces(contentId: string, size: number): AsyncGenerator<Uint8Array> {
    try {
      yield* rechunk(this.#bytes(contentId, size), PIECE_BYTES);
    } catch (error) {
      throw this.#requests.unavailable(error);
    }
  }

  async remove(contentId: string): Promise<void> {
    const answer = await this.#typed(this.#requests.send('DELETE', contentId));
    await answer.body?.cancel();
  }

  /**
   * Stores an object and removes it.
   *
   * @throws UnreachableError where the bucket cannot be used.
   */
  async check(): Promise<void> {
    const contentId = newId('blob');
    try {
      await this.write(contentId, Readable.from([Buffer.from('a')]));
      await this.remove(contentId);
    } catch (error) {
      const { cause } = error as Error;
      throw new UnreachableError('TURNPIKE_S3_URL', hostOf(this.#url), cause);
    }
  }

  /**
   * The bytes of an object, each once; none where there is no such object. A connection that breaks, or ends too early,
   * is made again after the last byte that came.
   *
   * @throws WrongSize; StoreFault.
   */
  async *#bytes(contentId: string, size: number): AsyncGenerator<Uint8Array> {
    const tries = this.#requests.newTries();
    let received = 0;
    for (;;) {
      try {
        const answer = await this.#openFrom(contentId, received, size);
        if (answer === undefined) return;
        for await (const bytes of this.#receive(answer, received)) {
          received += bytes.length;
          if (received > size) throw new WrongSize(`an object of ${size} bytes has more`);
          tries.recordProgress();
          yield bytes;
        }
        if (received === size) return;
        const ended = `the answer to GET ended after ${received} of ${size} bytes`;
        throw new StoreFault(ended, true);
      } catch (fault) {
        // All has come: how the connection ended does not matter.
        if (received === size && size > 0 && fault instanceof StoreFault) return;
        await tries.wait(fault);
      }
    }
  }

  /** @returns an answer with the object, or its bytes from `start` on; undefined: there is no such object. */
  async #openFrom(contentId: string, start: number, size: number): Promise<Response | undefined> {
    const init = start === 0 ? {} : { headers: { range: `bytes=${start}-` } };
    const answer = await this.#requests.sendOnce('GET', contentId, init);
    const { status } = answer;
    if (status === 404 && start === 0) return undefined;
    const isPart = status === 206;
    const isWrong =
      status === 404 || status === 416 || (!isPart && (lengthOf(answer) ?? size) !== size);
    if (!isWrong && (!isPart || startOf(answer) === start)) return answer;
    await answer.body?.cancel();
    if (isWrong) throw new WrongSize(`an object of ${size} bytes is shorter, or gone (${status})`);
    const range = answer.headers.get('content-range');
    throw new StoreFault(
      `the bucket answered GET from ${start} with ${range ?? 'no range'}`,
      false,
    );
  }

  /** The bytes of an answer from `start` on: a store that knows no ranges sends those before as well. */
  async *#receive(answer: Response, start: number): AsyncGenerator<Uint8Array> {
    const reader = answer.body?.getReader();
    if (reader === undefined) return;
    let leftOut = answer.status === 206 ? 0 : start;
    try {
      for (;;) {
        const { done, value } = await this.#requests.wait('GET', (signal) =>
          untilAborted(reader.read(), signal),
        );
        if (done) return;
        const bytes = value.subarray(leftOut);
        leftOut -= value.length - bytes.length;
        if (bytes.length > 0) yield bytes;
      }
    } finally {
      // A reader may leave early: the connection must not wait for it. One that broke has nothing to cancel.
      reader.cancel().catch(() => undefined);
    }
  }

  /** @throws TypedError STORAGE_UNAVAILABLE for any fault. */
  async #typed<T>(sending: Promise<T>): Promise<T> {
    try {
      return await sending;
    } catch (error) {
      throw this.#requests.unavailable(error);
    }
  }
}

/** The length that an answer says of the object; undefined: none, or that of its encoding. */
function lengthOf({ headers }: Response): number | undefined {
  const length = headers.get('content-length');
  const encoding = headers.get('content-encoding') ?? 'identity';
  return length === null || encoding !== 'identity' ? undefined : Number(length);
}

/** Where the part of an object begins: `bytes 5-9/10`. */
function startOf({ headers }: Response): number | undefined {
  const start = /^bytes (\d+)-/.exec(headers.get('content-range') ?? '')?.[1];
  return start === undefined ? undefined : Number(start);
}

/**
 * The contents of the configured bucket; undefined where none is configured.
 *
 * @throws UnreachableError where the bucket cannot be used.
 */
export async function openS3(
  config: S3Settings,
  logger: Pick<Logger, 'warn'>,
): Promise<S3Contents | undefined> {
  if (config.s3Url === undefined) return undefined;
  // The start has a line of its own for a failure.
  await new S3Contents(config.s3Url, config).check();
  return new S3Contents(config.s3Url, config, { logger });
}

/** Writes a content to a file. @returns its SHA-256 in hex. */
async function spool(file: string, content: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  const handle = await open(file, 'wx', 0o600);
  await closing(handle, async () => {
    for await (const bytes of rechunk(content, PIECE_BYTES)) {
      hash.update(bytes);
      await handle.writeFile(bytes);
    }
  });
  return hash.digest('hex');
}
