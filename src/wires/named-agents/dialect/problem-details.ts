import type { ErrorCode } from '../../../errors/typed-error.js';
import { retryAdvice, type RetryAdvice } from '../../../platform/face.js';

/** The documentation of problems is at `<docsBase>/errors/<code>`. */
const docsBase = 'https://turnpike.dev/docs';

/** An error on the holodeck wire (RFC 7807), with the members that every wire's errors have. */
export interface Problem extends RetryAdvice {
  /** A URI whose last part is the error's code. */
  type: string;
  /** A title for the type: every problem of the type has it. */
  title: string;
  status: number;
  /** The cause of this problem, and the remedy. */
  detail: string;
}

/** @param what happened; without advice it does not help to try again. */
export function toProblem(
  code: ErrorCode,
  { status, detail, ...advice }: { status: number; detail: string } & Partial<RetryAdvice>,
): Problem {
  return {
    type: problemUri(code),
    title: problemTitles[code],
    status,
    detail,
    ...retryAdvice(advice),
  };
}

/** The `type` of a code's problems. */
export function problemUri(code: ErrorCode): string {
  return `${docsBase}/errors/${code.toLowerCase().replaceAll('_', '-')}`;
}

const problemTitles: Readonly<Record<ErrorCode, string>> = {
  APPROVAL_NOT_FOUND: 'Approval not found',
  APPROVAL_RESOLVED: 'Approval resolved',
  ATTACHMENT_FAILURE: 'No file could be taken',
  ATTACHMENT_NOT_FOUND: 'File not found',
  ATTEMPTS_EXHAUSTED: 'Turn given up',
  BODY_CONSUMED: 'Body consumed',
  BODY_TOO_LARGE: 'Request too large',
  BUDGET_EXHAUSTED: 'Budget exhausted',
  CLIENT_LEFT: 'Client left',
  CONSOLE_NOT_BUILT: 'Console not built',
  DECISION_TREE_NOT_FOUND: 'Unknown decision tree',
  EXTENSION_FAILURE: 'Extension failure',
  FEEDBACK_LIMIT: 'Too much feedback',
  FEEDBACK_NOT_FOUND: 'Unknown feedback',
  FILE_TOO_LARGE: 'File too large',
  FORBIDDEN_AGENT: 'Agent not allowed',
  FORBIDDEN_APPROVER: 'Not an approver of this',
  FORBIDDEN_ORIGIN: 'Origin not allowed',
  FORBIDDEN_CREDENTIAL: 'Credential cannot act later',
  FORBIDDEN_FOR_PAGE: 'Not for page tokens',
  FORBIDDEN_PRINCIPAL: 'Principal not allowed',
  FORBIDDEN_ROLE: 'No role',
  FORBIDDEN_SCOPE: 'Forbidden scope',
  IDEMPOTENCY_KEY_REUSED: 'Idempotency key reused',
  IMPORT_INVALID: 'Export not valid',
  IMPORT_TOO_NEW: 'Export of a newer version',
  INSTRUCTION_ROOT_INVALID: 'Server not set up',
  INTERRUPTED: 'Interrupted',
  INVALID_REQUEST: 'Invalid request',
  ISSUER_UNAVAILABLE: 'Identity provider unavailable',
  KEY_NOT_FOUND: 'Key not found',
  LOGIN_REFUSED: 'Log-in refused',
  MCP_LOGIN_NOT_FOUND: 'Log-in not found',
  MCP_LOGIN_REFUSED: 'Log-in at an MCP server refused',
  MCP_LOGIN_UNAVAILABLE: 'Log-in at an MCP server unavailable',
  MCP_PROMPT_FAILURE: 'No such prompt',
  MEMORY_CHANGED: 'Memory changed',
  MEMORY_FILE_NOT_FOUND: 'Unknown memory file',
  MEMORY_FULL: 'Memory full',
  MEMORY_OFF: 'No memory',
  METHOD_NOT_ALLOWED: 'Method not allowed',
  MISSING_API_KEY: 'Not ready',
  NO_APPROVERS: 'No approvers',
  NO_MASTER_KEY: 'No master key',
  OUTPUT_INVALID: 'No valid object',
  PERSONA_NOT_FOUND: 'Unknown agent',
  QUEUE_UNAVAILABLE: 'Queue unavailable',
  QUEUE_FULL: 'Too many turns',
  RATE_LIMITED: 'Rate limited',
  REQUEST_TIMEOUT: 'Request timed out',
  ROUTE_NOT_FOUND: 'Route not found',
  SCHEDULE_EXISTS: 'Schedule exists',
  SCHEDULE_LIMIT: 'Too many schedules',
  SCHEDULE_NOT_FOUND: 'Schedule not found',
  SCHEDULE_PAUSED: 'Schedule paused',
  SDK_FAILURE: 'Agent error',
  SECRET_UNREADABLE: 'Secret cannot be opened',
  SESSION_LIMIT: 'Too many sessions',
  SESSION_NOT_FOUND: 'Unknown session',
  SESSION_QUEUE_FULL: 'Session queue full',
  SHUTTING_DOWN: 'Server stopping',
  STORAGE_FULL: 'Storage full',
  STORAGE_READ_ONLY: 'Storage read-only',
  STORAGE_UNAVAILABLE: 'Storage unavailable',
  STREAM_EXPIRED: 'Stream expired',
  TOO_MANY_READERS: 'Too many readers',
  TOO_MANY_TURNS: 'Too many turns',
  TOOL_NOT_FOUND: 'Tool not found',
  TOOL_TRIAL_DENIED: 'Trial of a tool denied',
  TOOL_TRIAL_UNCONFIRMED: 'Trial of a tool not confirmed',
  TOOL_TRIAL_UNSUPPORTED: 'Trial of a tool not supported',
  TURN_IN_PROGRESS: 'Session busy',
  TURN_NOT_FOUND: 'Unknown message',
  TURN_SUPERSEDED: 'Message replaced',
  UNAUTHENTICATED: 'Unauthenticated',
  UNSUPPORTED_MEDIA_TYPE: 'Unsupported media type',
  WEBHOOK_DELIVERY_NOT_FOUND: 'Delivery not found',
  WEBHOOK_DISABLED: 'Webhook disabled',
  WEBHOOK_LIMIT: 'Too many webhooks',
  WEBHOOK_NOT_FOUND: 'Webhook not found',
  WEBHOOK_URL_REFUSED: 'URL not allowed',
  WORKING_ROOT_CONFLICT: 'Server not set up',
  WORKING_ROOT_INACCESSIBLE: 'Server not set up',
};
