import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { AwsClient } from 'aws4fetch';
import type { Config } from '../../config/config.js';
import { TypedError } from '../../errors/typed-error.js';
import { untilAborted, withDeadline } from '../../platform/async/deadlines.js';
import { systemClock } from '../../platform/clock.js';
import { closing } from '../../platform/files/folder-handle.js';
import { newId } from '../../platform/ids.js';
import { rechunk } from '../../platform/rechunk.js';
import { hostOf, UnreachableError } from '../../storage/database-errors.js';
import type { BlobContents } from '../blob-store.js';

/** Bytes of one piece. */
const PIECE_BYTES = 256 * 1024;

/** How often a request is sent again that was answered 429 or 5xx, and the first pause. */
const RETRIES = 4;
const FIRST_PAUSE_MS = 100;

/** The longest wait for an answer, or for more of it: then the store is gone, or a part of the way to it. */
const SILENCE_MS = 120_000;

/** The settings of a bucket, see `TURNPIKE_S3_…`. */
export type S3Settings = Pick<
  Config,
  's3Url' | 's3Region' | 's3AccessKeyId' | 's3SecretAccessKey' | 's3SessionToken'
>;

/**
 * Contents as objects of a store with the API of S3, `<url>/<contentId>`. Whether the bucket stands in the URL's path or
 * in its host makes no difference. Rows say which contents there are, so nothing lists the bucket.
 */
export class S3Contents implements BlobContents {
  readonly #client: AwsClient;
  readonly #url: string;

  /** @param silenceMs the longest wait for the store. What a reader takes for a piece does not count. */
  constructor(
    url: string,
    settings: S3Settings,
    private readonly silenceMs = SILENCE_MS,
  ) {
    const { s3Region, s3AccessKeyId = '', s3SecretAccessKey = '', s3SessionToken } = settings;
    this.#url = url.replace(/\/+$/, '');
    this.#client = new AwsClient({
      accessKeyId: s3AccessKeyId,
      secretAccessKey: s3SecretAccessKey,
      ...(s3SessionToken === undefined ? {} : { sessionToken: s3SessionToken }),
      // Most stores other than AWS take this one.
      region: s3Region ?? 'us-east-1',
      service: 's3',
      retries: RETRIES,
      initRetryMs: FIRST_PAUSE_MS,
    });
  }

  /** A PUT says its length and hash first: the content waits in a file meanwhile. */
  async write(contentId: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    const folder = await mkdtemp(path.join(tmpdir(), 'turnpike-s3-'));
    try {
      const file = path.join(folder, contentId);
      const sha256 = await spool(file, content);
      await this.#send('PUT', contentId, {
        body: await openAsBlob(file),
        headers: { 'x-amz-content-sha256': sha256, 'content-type': 'application/octet-stream' },
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async has(contentId: string, size: number): Promise<boolean> {
    const answer = await this.#send('HEAD', contentId);
    return answer.ok && Number(answer.headers.get('content-length')) === size;
  }

  async read(contentId: string, size: number): Promise<Buffer | undefined> {
    const answer = await this.#send('GET', contentId);
    if (!answer.ok || Number(answer.headers.get('content-length')) !== size) {
      await answer.body?.cancel();
      return undefined;
    }
    return Buffer.from(await this.#wait((signal) => untilAborted(answer.arrayBuffer(), signal)));
  }

  async *pieces(contentId: string): AsyncGenerator<Uint8Array> {
    const { ok, body } = await this.#send('GET', contentId);
    if (!ok || body === null) {
      await body?.cancel();
      return;
    }
    const pieces = rechunk(body, PIECE_BYTES);
    try {
      for (;;) {
        const { done, value } = await this.#wait((signal) => untilAborted(pieces.next(), signal));
        if (done === true) return;
        yield value;
      }
    } finally {
      // A reader may leave early: the connection must not wait for it.
      await pieces.return(undefined);
    }
  }

  async remove(contentId: string): Promise<void> {
    const answer = await this.#send('DELETE', contentId);
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

  /** @returns a 2xx, or 404 where there is no such object. @throws TypedError STORAGE_UNAVAILABLE. */
  async #send(method: string, contentId: string, init: RequestInit = {}): Promise<Response> {
    const url = `${this.#url}/${encodeURIComponent(contentId)}`;
    const answer = await this.#wait((signal) =>
      this.#client.fetch(url, { ...init, method, signal }),
    );
    if (answer.ok || (answer.status === 404 && method !== 'PUT')) return answer;
    const text = await this.#wait((signal) => untilAborted(answer.text(), signal));
    // `<Error><Code>AccessDenied</Code>…`; a HEAD has no body.
    const code = /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? '';
    throw unavailable(
      new Error(`the bucket answered ${method} with ${answer.status} ${code}`.trim()),
    );
  }

  /** @throws TypedError STORAGE_UNAVAILABLE where the connection breaks, or nothing comes for too long. */
  async #wait<T>(receive: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { silenceMs: ms } = this;
    const reason = new Error(`nothing came for ${ms} ms`);
    try {
      return await withDeadline(systemClock, { ms, reason }, receive);
    } catch (error) {
      throw unavailable(error);
    }
  }
}

/**
 * The contents of the configured bucket; undefined where none is configured.
 *
 * @throws UnreachableError where the bucket cannot be used.
 */
export async function openS3(config: S3Settings): Promise<S3Contents | undefined> {
  if (config.s3Url === undefined) return undefined;
  const contents = new S3Contents(config.s3Url, config);
  await contents.check();
  return contents;
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

function unavailable(cause: unknown): TypedError {
  return new TypedError('STORAGE_UNAVAILABLE', {
    message:
      'The store of files does not answer as it should. Send this request again in a few seconds, a turn with its Idempotency-Key.',
    cause,
  });
}
