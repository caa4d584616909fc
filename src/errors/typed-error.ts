import type { RetryAdvice } from '../platform/retry-advice.js';
import { errorEntry, type ErrorCases, type ErrorCode, type ErrorVerdict } from './error-table.js';

/** What a call gives of an error; its status and whether to retry are the table's. */
export interface TypedErrorInit {
  /** For a person: what is wrong here, and what to do. */
  message: string;
  /** The verdict of another side instead of the table's: the model provider's, or a failed turn's. */
  relayed?: { status: number } & RetryAdvice;
  /** Machine-readable facts a client may show or branch on. Never secrets, never stack traces. */
  details?: unknown;
  /** Response headers that belong to the error, for example `Retry-After`. */
  headers?: Record<string, string>;
  cause?: unknown;
}

/** What a call gives of an error whose code has several verdicts. */
export interface CaseInit<Code extends keyof ErrorCases> extends TypedErrorInit {
  /** Default: the first verdict of the code. */
  case?: ErrorCases[Code];
}

type TypedErrorArguments =
  | [code: ErrorCode, init: TypedErrorInit & { case?: never }]
  | { [Code in keyof ErrorCases]: [code: Code, init: CaseInit<Code>] }[keyof ErrorCases];

/**
 * An error that a client may see: a code of the table, an HTTP status, a message that says what to
 * do. Everything else that is thrown is a fault of ours and is masked at the border.
 */
export class TypedError extends Error {
  readonly type: ErrorCode;
  readonly status: number;
  readonly details: unknown;
  readonly headers: Record<string, string>;
  /** Whether the same request, sent again unchanged, may be taken. */
  readonly retryable: boolean;
  /** Milliseconds to wait before that; undefined where nobody said. */
  readonly retryAfterMs: number | undefined;
  /** The id the model provider gave the request that failed, for its support. */
  readonly requestId: string | undefined;

  constructor(...[code, init]: TypedErrorArguments) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    const verdict = init.relayed ?? verdictOf(code, init.case);
    const { status, retryable, retryAfterMs, requestId } = verdict;
    this.name = 'TypedError';
    this.type = code;
    this.status = status;
    this.details = init.details;
    this.headers = init.headers ?? {};
    this.retryAfterMs = retryAfterMs ?? headerMs(this.headers);
    this.retryable = retryable;
    this.requestId = requestId;
  }
}

function verdictOf(code: ErrorCode, name: string | undefined): ErrorVerdict & Partial<RetryAdvice> {
  const entry = errorEntry(code);
  return (name === undefined ? undefined : entry.cases?.[name]) ?? entry;
}

function headerMs({ 'Retry-After': seconds }: Record<string, string>): number | undefined {
  return seconds !== undefined && /^\d+$/.test(seconds) ? Number(seconds) * 1_000 : undefined;
}

/** Whether a thrown value is the error of a code. */
export function isTypedError(thrown: unknown, code: ErrorCode): thrown is TypedError {
  return thrown instanceof TypedError && thrown.type === code;
}

/** The error every route gives for input it cannot take. */
export function invalidRequest(message: string, details?: unknown): TypedError {
  return new TypedError('INVALID_REQUEST', { message, details });
}
