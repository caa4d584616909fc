import { errorCode } from '../platform/error-code.js';

/** Of the operating system, when the server cannot be reached or went away. */
const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** The driver gives these no code. */
const driverMessages = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Client has encountered a connection error',
  'Cannot use a pool after calling end',
  'PGlite is closed',
];

/**
 * Whether a statement failed because the database did not answer, not because of what it said.
 * What the statement did is then unknown. Looks through the chain of causes.
 */
export function isDatabaseDown(error: unknown): boolean {
  let cause: unknown = error;
  for (let depth = 0; depth < 5 && cause !== undefined && cause !== null; depth += 1) {
    const code = errorCode(cause);
    if (code !== undefined && (networkCodes.has(code) || isServerStopping(code))) return true;
    const message = messageOf(cause);
    if (driverMessages.some((known) => message.startsWith(known))) return true;
    cause = typeof cause === 'object' && 'cause' in cause ? cause.cause : undefined;
  }
  return false;
}

/** SQLSTATE: class 08 is connections; 57P0x a server that stops or starts; 53300 none left. */
function isServerStopping(code: string): boolean {
  return /^(08...|57P0[1-5]|53300)$/.test(code);
}

function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : '';
}
