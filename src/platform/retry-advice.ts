import { compact } from './compact.js';

/** Advice about sending a failed request again. Its fields are the same on every wire. */
export interface RetryAdvice {
  /** Whether the same request, sent again unchanged, may be taken. */
  retryable: boolean;
  /** Milliseconds to wait before that, from now; absent where it is not known. */
  retryAfterMs?: number;
  /** The id the model provider gave the request that failed, for its support. */
  requestId?: string;
}

/** The advice of an error or of its stored form. Without an error, nothing says that it may be retried. */
export function retryAdvice(error: {
  readonly retryable?: boolean | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly requestId?: string | undefined;
}): RetryAdvice {
  const { retryable = false, retryAfterMs, requestId } = error;
  return compact({ retryable, retryAfterMs, requestId });
}

/**
 * The delay before a retry that an answer asks for, in ms from now: its `retry-after-ms`, or
 * `Retry-After` in seconds or as a date. Undefined where neither is given or valid.
 */
export function retryAfterMs(headers: Pick<Headers, 'get'>, nowMs: number): number | undefined {
  const ms = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (!Number.isNaN(ms)) return Math.max(0, ms);
  const after = headers.get('retry-after') ?? '';
  const seconds = Number.parseFloat(after);
  const pauseMs = Number.isNaN(seconds) ? Date.parse(after) - nowMs : seconds * 1_000;
  return Number.isNaN(pauseMs) ? undefined : Math.max(0, pauseMs);
}
