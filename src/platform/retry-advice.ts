/** What whoever got an error is told about sending the same again. The same fields on every wire. */
export interface RetryAdvice {
  /** Whether the same request, sent again unchanged, may be taken. */
  retryable: boolean;
  /** Milliseconds to wait before that, from now; absent where nobody said. */
  retryAfterMs?: number;
  /** The id the model provider gave the request that failed, for its support. */
  requestId?: string;
}

/** The advice of an error or of what is stored of one. What is older than the fields advises nothing. */
export function retryAdvice(error: {
  readonly retryable?: boolean | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly requestId?: string | undefined;
}): RetryAdvice {
  const { retryable = false, retryAfterMs, requestId } = error;
  return {
    retryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}
