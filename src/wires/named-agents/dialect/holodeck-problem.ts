import { retryAdvice, type RetryAdvice } from '../../../platform/retry-advice.js';

/** Where problems are explained: `<docsBase>/errors/<code>`. */
const docsBase = 'https://turnpike.dev/docs';

/** An error on the holodeck wire (RFC 7807), with the members that every wire's errors have. */
export interface Problem extends RetryAdvice {
  /** A URI whose last part is the error's code. */
  type: string;
  /** The same for every problem of a type. */
  title: string;
  status: number;
  /** What happened here, and what to do. */
  detail: string;
}

/**
 * @param code as typed errors have it, for example `QUEUE_FULL`.
 * @param what happened; without advice it does not help to try again.
 */
export function toProblem(
  code: string,
  { status, detail, ...advice }: { status: number; detail: string } & Partial<RetryAdvice>,
): Problem {
  const slug = code.toLowerCase().replaceAll('_', '-');
  const title = Object.hasOwn(problemTitles, code) ? problemTitles[code] : undefined;
  return {
    type: `${docsBase}/errors/${slug}`,
    title: title ?? spell(slug),
    status,
    detail,
    ...retryAdvice(advice),
  };
}

/** The code of a problem, as typed errors have it. */
export function problemCode({ type }: Problem): string {
  return type
    .slice(type.lastIndexOf('/') + 1)
    .toUpperCase()
    .replaceAll('-', '_');
}

/** Titles of the codes that say more than their own words. */
export const problemTitles: Record<string, string | undefined> = {
  ATTACHMENT_FAILURE: 'No file could be taken',
  ATTEMPTS_EXHAUSTED: 'Turn given up',
  BODY_TOO_LARGE: 'Request too large',
  DECISION_TREE_NOT_FOUND: 'Unknown decision tree',
  FILE_TOO_LARGE: 'File too large',
  FORBIDDEN_ORIGIN: 'Origin not allowed',
  IDEMPOTENCY_KEY_REUSED: 'Idempotency key reused',
  INSTRUCTION_ROOT_INVALID: 'Server not set up',
  INVALID_BASE_URL: 'Server not set up',
  INVALID_REQUEST: 'Invalid request',
  MISSING_API_KEY: 'Not ready',
  PERSONA_NOT_FOUND: 'Unknown agent',
  QUEUE_FULL: 'Too many turns',
  REQUEST_TIMEOUT: 'Request timed out',
  SDK_FAILURE: 'Agent error',
  SESSION_LIMIT: 'Too many sessions',
  SESSION_NOT_FOUND: 'Unknown session',
  SHUTTING_DOWN: 'Server stopping',
  STORAGE_UNAVAILABLE: 'Storage unavailable',
  STREAM_EXPIRED: 'Stream expired',
  TURN_IN_PROGRESS: 'Session busy',
  TURN_NOT_FOUND: 'Unknown message',
  WORKING_ROOT_CONFLICT: 'Server not set up',
  WORKING_ROOT_INACCESSIBLE: 'Server not set up',
};

/** `interrupted-again` → `Interrupted again`. */
function spell(slug: string): string {
  return slug.charAt(0).toUpperCase() + slug.slice(1).replaceAll('-', ' ');
}
