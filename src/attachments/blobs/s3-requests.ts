import { AwsClient } from 'aws4fetch';
import type { Config } from '../../config/config.js';
import { TypedError } from '../../errors/typed-error.js';
import { retryDelay, untilAborted, withDeadline } from '../../platform/async/deadlines.js';
import { pause, systemClock, type Clock } from '../../platform/clock.js';
import { errorCode } from '../../platform/error-code.js';
import type { Logger } from '../../platform/logger.js';
import { driverError } from '../../storage/database-errors.js';

/** The settings of a bucket, see `TURNPIKE_S3_…`. */
export type S3Settings = Pick<
  Config,
  's3Url' | 's3Region' | 's3AccessKeyId' | 's3SecretAccessKey' | 's3SessionToken'
>;

/** How often a request is sent again after a fault that may pass, and the delays. */
const RETRIES = 4;
const retryDelays = { firstMs: 200, maxMs: 2_000 };

/** The longest wait for an answer, or for more of it: then the store is gone, or a part of the way to it. */
const SILENCE_MS = 120_000;

/** Most characters of a store's message in the log. */
const MAX_MESSAGE_CHARS = 300;

/** A fault of the store: its answer, or that none came. */
export class StoreFault extends Error {
  /** @param mayPass whether the same request may work in a moment. */
  constructor(
    message: string,
    readonly mayPass: boolean,
    cause?: unknown,
  ) {
    super(message, { cause });
    this.name = 'StoreFault';
  }
}

/** Whether there is another try, and how long it waits: for faults in a row, none of which brought anything. */
export class Tries {
  #failures = 0;
  /** When the first of them was. */
  #since = 0;

  constructor(
    private readonly patienceMs: number,
    private readonly clock: Clock,
  ) {}

  /** Something came: the faults before it do not count. */
  recordProgress(): void {
    this.#failures = 0;
  }

  /** Waits before the next try. @throws the fault where there is none. */
  async wait(fault: unknown): Promise<void> {
    const now = this.clock.now();
    if (this.#failures === 0) this.#since = now;
    const isOver = this.#failures >= RETRIES || now - this.#since >= this.patienceMs;
    if (isOver || !(fault instanceof StoreFault) || !fault.mayPass) throw fault;
    await pause(this.clock, retryDelay(retryDelays, this.#failures, Math.random()));
    this.#failures += 1;
  }
}

export interface S3Options {
  /** The longest wait for the store, in ms. What a reader takes for a piece does not count. Default: 120,000. */
  silenceMs?: number | undefined;
  clock?: Clock | undefined;
  /** Told what the store answered where it failed. */
  logger?: Pick<Logger, 'warn'> | undefined;
}

/** Signed requests to one bucket, `<url>/<contentId>`. */
export class S3Requests {
  readonly #client: AwsClient;
  readonly #silenceMs: number;
  readonly #clock: Clock;

  constructor(
    private readonly url: string,
    settings: S3Settings,
    private readonly options: S3Options,
  ) {
    const { s3Region, s3AccessKeyId = '', s3SecretAccessKey = '', s3SessionToken } = settings;
    this.#silenceMs = options.silenceMs ?? SILENCE_MS;
    this.#clock = options.clock ?? systemClock;
    this.#client = new AwsClient({
      accessKeyId: s3AccessKeyId,
      secretAccessKey: s3SecretAccessKey,
      ...(s3SessionToken === undefined ? {} : { sessionToken: s3SessionToken }),
      // Most stores other than AWS take this one.
      region: s3Region ?? 'us-east-1',
      service: 's3',
    });
  }

  newTries(): Tries {
    return new Tries(this.#silenceMs, this.#clock);
  }

  /** Sends a request, again after faults that may pass. @returns as `sendOnce`. @throws StoreFault. */
  async send(method: string, contentId: string, init: RequestInit = {}): Promise<Response> {
    const tries = this.newTries();
    for (;;) {
      try {
        return await this.sendOnce(method, contentId, init);
      } catch (fault) {
        await tries.wait(fault);
      }
    }
  }

  /**
   * @returns a 2xx; 404 where there is no such object; 416 where the object ends before the range that was asked for.
   * @throws StoreFault.
   */
  async sendOnce(method: string, contentId: string, init: RequestInit = {}): Promise<Response> {
    const url = `${this.url}/${encodeURIComponent(contentId)}`;
    const answer = await this.wait(method, async (signal) => {
      const signed = await this.#client.sign(url, { ...init, method });
      // After the signature: proxies and some stores change it. A range is one of the bytes as they are stored.
      if (method !== 'PUT') signed.headers.set('accept-encoding', 'identity');
      // The signature is for this address alone, and another one may be inside of the network.
      return fetch(signed, { signal, redirect: 'manual' });
    });
    const { ok, status } = answer;
    if (ok || (status === 404 && method !== 'PUT') || status === 416) return answer;
    const text = await this.wait(method, (signal) => untilAborted(answer.text(), signal));
    throw refusal(method, answer, text);
  }

  /** Waits for an answer, or for more of it. @throws StoreFault where the connection breaks, or nothing comes. */
  async wait<T>(method: string, receive: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const ms = this.#silenceMs;
    try {
      const reason = new Error(`nothing came for ${ms} ms`);
      return await withDeadline(this.#clock, { ms, reason }, receive);
    } catch (error) {
      const cause = driverError(error);
      const said = cause instanceof Error ? cause.message : String(cause);
      const code = errorCode(cause);
      const why = code === undefined || said.includes(code) ? said : `${code} ${said}`;
      const outer = error instanceof Error && error !== cause ? `${error.message}, ` : '';
      throw new StoreFault(`no answer to ${method} (${outer}${why})`, true, error);
    }
  }

  /** The error for clients; the log has what the store said. */
  unavailable(cause: unknown): TypedError {
    this.options.logger?.warn(
      { error: cause },
      'the store of files failed; what needs a file fails until it answers. `error` has its own words',
    );
    return new TypedError('STORAGE_UNAVAILABLE', {
      message:
        'The store of files does not answer as it should. Send this request again in a few seconds, a turn with its Idempotency-Key.',
      cause,
    });
  }
}

/** `<Error><Code>AccessDenied</Code><Message>…`; a HEAD has no body. Pure. */
function refusal(method: string, { status, headers }: Response, text: string): StoreFault {
  const field = (name: string): string | undefined =>
    new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1]?.slice(0, MAX_MESSAGE_CHARS);
  const code = field('Code');
  const message = field('Message');
  const requestId = field('RequestId') ?? headers.get('x-amz-request-id');
  const said = [status, code].filter((one) => one !== undefined).join(' ');
  const parts = [
    `the bucket answered ${method} with ${said}`,
    ...(message === undefined ? [] : [`: ${message}`]),
    ...(requestId === null ? [] : [` (request id ${requestId})`]),
  ];
  const mayPass =
    status === 408 ||
    status === 429 ||
    (status >= 500 && status !== 501) ||
    code === 'RequestTimeout';
  return new StoreFault(parts.join(''), mayPass);
}
