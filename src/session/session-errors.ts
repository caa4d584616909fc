import { commandNameOfServer } from '../platform/process/command-name.js';
import { isTypedError, TypedError } from '../errors/typed-error.js';

/** Characters of a client's path that an error repeats. */
const MAX_PATH_CHARS = 200;

/** `details.reason` of a `SESSION_NOT_FOUND`: the reference has one code for both. */
export type SessionMissing = 'NO_SUCH_SESSION' | 'NO_ACTIVE_TURN';

export function isSessionMissing(thrown: unknown, reason: SessionMissing): boolean {
  if (!isTypedError(thrown, 'SESSION_NOT_FOUND')) return false;
  return (thrown.details as { reason?: unknown } | undefined)?.reason === reason;
}

export function sessionNotFound(sessionId: string): TypedError {
  const shown = sessionId.slice(0, 120);
  return new TypedError('SESSION_NOT_FOUND', {
    message: `There is no session ${shown}. Create one: POST /api/harness/session/create.`,
    details: { sessionId: shown, reason: 'NO_SUCH_SESSION' satisfies SessionMissing },
  });
}

export function rootInaccessible(projectRoot: string, why: string): TypedError {
  const shown = projectRoot.slice(0, MAX_PATH_CHARS);
  return new TypedError('WORKING_ROOT_INACCESSIBLE', {
    message: `The project root ${shown} ${why}.`,
    details: { projectRoot: shown },
  });
}

export function rootConflict(projectRoot: string, instructionRoot: string): TypedError {
  const shown = projectRoot.slice(0, MAX_PATH_CHARS);
  return new TypedError('WORKING_ROOT_CONFLICT', {
    message: `The project root ${shown} is the instruction root or lies inside it. Choose a folder outside ${instructionRoot}.`,
    details: { projectRoot: shown, instructionRoot },
  });
}

export function rootOfServer(projectRoot: string, instructionRoot: string): TypedError {
  return new TypedError('WORKING_ROOT_CONFLICT', {
    message: `The project root ${projectRoot} is or leads to /, /proc, /sys, /dev or the server's own data. Choose a folder of files.`,
    details: { projectRoot, instructionRoot },
  });
}

/** Names the open roots: a client has no other way to learn them. */
export function rootNotOpen(
  projectRoot: string,
  open: { own: string; named: readonly string[]; instructionRoot: string },
): TypedError {
  const shown = projectRoot.slice(0, MAX_PATH_CHARS);
  const { instructionRoot } = open;
  const openRoots = [...new Set([open.own, ...open.named])];
  return new TypedError('WORKING_ROOT_CONFLICT', {
    message: `The project root ${shown} is not open to this key. Choose a folder in ${openRoots.join(' or ')}; an operator can open others: for every key with TURNPIKE_PROJECT_ROOTS, for one with ${commandNameOfServer()} keys create --project-root.`,
    details: { projectRoot: shown, instructionRoot, openRoots },
  });
}

export function sessionLimit(maxSessions: number): TypedError {
  return new TypedError('SESSION_LIMIT', {
    message: `${maxSessions} sessions exist already. Delete some, or raise TURNPIKE_MAX_SESSIONS.`,
    details: { maxSessions },
  });
}
