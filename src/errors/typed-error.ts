import type { RetryAdvice } from '../platform/retry-advice.js';
import { errorEntry, type ErrorCases, type ErrorCode, type ErrorVerdict } from './error-table.js';

export type { ErrorCode };

/** The facts that a call gives; status and retry advice come from the table, `Retry-After` with them. */
export interface TypedErrorInit {
  /** For a person: the fault and its remedy. */
  message: string;
  /** Verdict of another side in place of the table's: the model provider's, or a failed turn's. */
  relayed?: { status: number } & RetryAdvice;
  /** Machine-readable facts for clients. Never secrets, never stack traces. */
  details?: unknown;
  /** Response headers of the error, beside the `Retry-After` of the table. */
  headers?: Record<string, string>;
  cause?: unknown;
}

/** The facts that a call gives for a code with several verdicts. */
export interface CaseInit<Code extends keyof ErrorCases> extends TypedErrorInit {
  /** Default: the first verdict of the code. */
  case?: ErrorCases[Code];
}

type TypedErrorArguments =
  | [code: ErrorCode, init: TypedErrorInit & { case?: never }]
  | { [Code in keyof ErrorCases]: [code: Code, init: CaseInit<Code>] }[keyof ErrorCases];

/**
 * An error that a client may see: a code of the table, an HTTP status, and a message with the
 * remedy. Every other thrown error is the server's fault, and is masked at the border.
 */
export class TypedError extends Error {
  readonly type: ErrorCode;
  readonly status: number;
  readonly details: unknown;
  readonly headers: Record<string, string>;
  /** Whether the same request, sent again unchanged, may be accepted. */
  readonly retryable: boolean;
  /** Milliseconds to wait before a retry; undefined where unknown. */
  readonly retryAfterMs: number | undefined;
  /** The model provider's id of the failed request, for its support. */
  readonly requestId: string | undefined;

  constructor(...[code, init]: TypedErrorArguments) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    const verdict: Verdict = init.relayed ?? verdictOf(code, init.case);
    const { status, retryable, retryAfterMs, requestId, retryAfterSeconds } = verdict;
    this.name = 'TypedError';
    this.type = code;
    this.status = status;
    this.details = init.details;
    this.headers = { ...(retryAfterSeconds && retryAfter(retryAfterSeconds)), ...init.headers };
    this.retryAfterMs = retryAfterMs ?? headerMs(this.headers);
    this.retryable = retryable;
    this.requestId = requestId;
  }
}

type Verdict = ErrorVerdict & Partial<RetryAdvice>;

function retryAfter(seconds: number): Record<string, string> {
  return { 'Retry-After': String(seconds) };
}

function verdictOf(code: ErrorCode, name: string | undefined): Verdict {
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

/** The error of every route for invalid input. */
export function invalidRequest(message: string, details?: unknown): TypedError {
  return new TypedError('INVALID_REQUEST', { message, details });
}
