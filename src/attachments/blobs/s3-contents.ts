import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AwsClient } from 'aws4fetch';
import type { Config } from '../../config/config.js';
import { TypedError } from '../../errors/typed-error.js';
import { closing } from '../../platform/files/folder-handle.js';
import { rechunk } from '../../platform/rechunk.js';
import type { BlobContents } from '../blob-store.js';

/** Bytes of one piece. */
const PIECE_BYTES = 256 * 1024;

/** How often a request is sent again that was answered 429 or 5xx, and the first pause. */
const RETRIES = 4;
const FIRST_PAUSE_MS = 100;

/** A request that takes longer is given up: the store is gone, or a piece of the way to it. */
const TIMEOUT_MS = 120_000;

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

  constructor(url: string, settings: S3Settings) {
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
    if (!answer.ok) {
      await answer.body?.cancel();
      return undefined;
    }
    const content = Buffer.from(await received(() => answer.arrayBuffer()));
    return content.length === size ? content : undefined;
  }

  async *pieces(contentId: string): AsyncGenerator<Uint8Array> {
    const answer = await this.#send('GET', contentId);
    if (!answer.ok || answer.body === null) {
      await answer.body?.cancel();
      return;
    }
    const pieces = rechunk(answer.body, PIECE_BYTES);
    for (;;) {
      const { done, value } = await received(() => pieces.next());
      if (done === true) return;
      yield value;
    }
  }

  async remove(contentId: string): Promise<void> {
    const answer = await this.#send('DELETE', contentId);
    await answer.body?.cancel();
  }

  /** @returns a 2xx, or 404 where there is no such object. @throws TypedError STORAGE_UNAVAILABLE. */
  async #send(method: string, contentId: string, init: RequestInit = {}): Promise<Response> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const url = `${this.#url}/${encodeURIComponent(contentId)}`;
    const answer = await received(() => this.#client.fetch(url, { ...init, method, signal }));
    if (answer.ok || (answer.status === 404 && method !== 'PUT')) return answer;
    const text = await received(() => answer.text());
    // `<Error><Code>AccessDenied</Code>…`; a HEAD has no body.
    const code = /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? '';
    throw unavailable(
      new Error(`${method} of the store of files was answered ${answer.status} ${code}`),
    );
  }
}

/** The contents of the configured bucket; undefined where none is configured. */
export function openS3(config: S3Settings): S3Contents | undefined {
  return config.s3Url === undefined ? undefined : new S3Contents(config.s3Url, config);
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

/** What a connection to the store brings. @throws TypedError STORAGE_UNAVAILABLE where it breaks. */
async function received<T>(receive: () => Promise<T>): Promise<T> {
  try {
    return await receive();
  } catch (error) {
    throw unavailable(error);
  }
}

function unavailable(cause: unknown): TypedError {
  return new TypedError('STORAGE_UNAVAILABLE', {
    message:
      'The store of files does not answer as it should. Send this request again in a few seconds, a turn with its Idempotency-Key.',
    cause,
  });
}
