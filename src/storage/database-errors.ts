import { errorCode, withCauses } from '../platform/error-code.js';

/** Codes of the operating system for a server that cannot be reached, or went away. */
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

/** SQLSTATEs of a full disk, and of a server that is read-only: the same statement may work once that has passed. */
const statementRefusals = new Set(['53100', '25006']);

/** Beginnings of the driver's messages for an unreachable server, which have no code. */
const driverMessages = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Client has encountered a connection error',
  'Cannot use a pool after calling end',
  'PGlite is closed',
];

/** The constraint that a failed statement violated; undefined for any other failure. */
export function violatedConstraint(error: unknown): string | undefined {
  const violation = causesOf(error).find(
    (cause) => 'constraint' in cause && typeof cause.constraint === 'string',
  );
  return violation === undefined ? undefined : String(Reflect.get(violation, 'constraint'));
}

/**
 * Whether a statement failed because the database did not answer or takes no writes, and not because of its content.
 * The statement's effect is then unknown.
 */
export function isDatabaseDown(error: unknown): boolean {
  return causesOf(error).some((cause) => {
    const code = errorCode(cause) ?? '';
    const message = 'message' in cause ? String(cause.message) : '';
    return (
      networkCodes.has(code) ||
      isServerStopping(code) ||
      statementRefusals.has(code) ||
      hasEnded(cause) ||
      driverMessages.some((known) => message.startsWith(known))
    );
  });
}

/**
 * Whether an error ended its connection, whatever its code: it is no answer to the statement. So says a server whose
 * full disk has no room for what it keeps of its catalogues (XX000, could not write init file).
 */
function hasEnded(cause: object): boolean {
  return 'severity' in cause && (cause.severity === 'FATAL' || cause.severity === 'PANIC');
}

/** No connection to the database could be made for a transaction. */
export class NoConnectionError extends Error {}

/** Names and beginnings of messages of the errors of Redis' client while its server is away, or takes no writes. */
const redisErrors =
  /^(MaxRetriesPerRequestError|ClusterAllFailedError|Connection is closed|Stream isn't writeable|Command timed out|(LOADING|OOM|READONLY|MISCONF|NOREPLICAS) )/;

/**
 * Whether a statement or a command failed because PostgreSQL or Redis is away or takes no writes: an error of their clients, as a
 * provider or the receiver of a webhook has the same codes.
 */
export function isServiceAway(error: unknown): boolean {
  const causes = causesOf(error);
  const isStatement = causes.some(
    (cause) => 'query' in cause || cause instanceof NoConnectionError,
  );
  if (isStatement && isDatabaseDown(error)) return true;
  return causes.some((cause) => {
    const message = 'message' in cause ? String(cause.message) : '';
    const name = 'name' in cause ? String(cause.name) : '';
    return (
      redisErrors.test(name) ||
      redisErrors.test(message) ||
      isServerStopping(errorCode(cause) ?? '') ||
      driverMessages.some((known) => message.startsWith(known))
    );
  });
}

/**
 * Whether the database refused a statement for its content, and will refuse it again: SQLSTATE
 * class 22 is data, 23 constraints, 54 limits. A missing table is not among them: a migration may
 * bring it.
 */
export function isStatementRefused(error: unknown): boolean {
  return causesOf(error).some((cause) => /^(22|23|54)[0-9A-Z]{3}$/.test(errorCode(cause) ?? ''));
}

/** The innermost cause: what the driver or the database said. */
export function driverError(error: unknown): unknown {
  return causesOf(error).at(-1) ?? error;
}

/** SQLSTATE: class 08 is connections; 57P0x a server that stops or starts; 53300 none left. */
function isServerStopping(code: string): boolean {
  return /^(08...|57P0[1-5]|53300)$/.test(code);
}

/** The error and its causes: the query builder wraps the database's error in its own. */
function causesOf(error: unknown): object[] {
  return withCauses(error).filter((cause) => typeof cause === 'object' && cause !== null);
}

/** Redis or PostgreSQL did not answer at the start. */
export class UnreachableError extends Error {
  constructor(
    variable: 'REDIS_URL' | 'DATABASE_URL' | 'TURNPIKE_S3_URL',
    host: string,
    cause: unknown,
  ) {
    const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
    super(
      `${variable} names ${host}, which cannot be used: ${reason}. Start it, or correct the variable.`,
      { cause },
    );
    this.name = 'UnreachableError';
  }
}

/** The host of a URL, without its secrets. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'something that is no URL';
}
