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

/** The advice of an error or of its stored form. A row older than the fields has none. */
export function retryAdvice(error: {
  readonly retryable?: boolean | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly requestId?: string | undefined;
}): RetryAdvice {
  const { retryable = false, retryAfterMs, requestId } = error;
  return compact({ retryable, retryAfterMs, requestId });
}
