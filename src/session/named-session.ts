import { createHash } from 'node:crypto';
import type { Principal } from '../access/principal.js';
import { invalidRequest, isTypedError } from '../errors/typed-error.js';
import { compact } from '../platform/compact.js';
import { isId } from '../platform/ids.js';
import type { SessionOrigin } from '../storage/shapes/stored-turn.js';
import type { ProjectRoots } from './project-roots.js';
import { sessionNotFound } from './session-errors.js';
import type { SessionRow, SessionStore } from './session-store.js';
import { DEFAULT_MODE, type SessionTermsChecker } from './session-terms.js';

/** Most characters of a client's name for a session. */
export const MAX_SESSION_NAME_CHARS = 256;

export interface NamedSessionDeps {
  sessions: Pick<SessionStore, 'get' | 'create'>;
  projectRoots: Pick<ProjectRoots, 'check' | 'defaultOf'>;
  terms: Pick<SessionTermsChecker, 'check'>;
}

/** A session that a client named, and whether this call created it. */
export interface OpenedSession {
  session: SessionRow;
  isNew: boolean;
}

/** A client's own name for a session: the id of its thread or chat. */
export interface SessionName {
  principalId: string;
  name: string;
}

export interface NamedSessionParams {
  principal: Principal;
  name: string;
  /** The wire of a new session. */
  origin: SessionOrigin;
  /** Persona of a new session. */
  persona: string;
  /** Project root of a new session; undefined: the principal's default. */
  projectRoot: string | undefined;
  /** Milliseconds without use after which a new session is deleted. Absent: never. */
  expiresAfterMs?: number;
}

/**
 * Computes the id of the session that a client names. A session's id names itself; any other text
 * names one session for each principal. Pure.
 *
 * @throws TypedError INVALID_REQUEST 400 for an empty name and for a name that is too long.
 */
export function namedSessionId(principalId: string, name: string): string {
  if (name === '' || name.length > MAX_SESSION_NAME_CHARS) {
    throw invalidRequest(
      `The id of a conversation must have 1 to ${MAX_SESSION_NAME_CHARS} characters; this one has ${name.length}`,
    );
  }
  return isId('sess', name) ? name : hashedSessionId([principalId, name]);
}

/** The id of the session that some texts stand for: equal texts give the same. Pure. */
export function hashedSessionId(texts: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(texts)).digest('hex');
  // Version 5 of a UUID marks it as made of a name; the variant is the usual one.
  const variant = ((Number.parseInt(hash.charAt(16), 16) & 0x3) | 0x8).toString(16);
  const parts = [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `5${hash.slice(13, 16)}`,
    variant + hash.slice(17, 20),
    hash.slice(20, 32),
  ];
  return `sess_${parts.join('-')}`;
}

/**
 * Finds the session that a principal names; undefined where there is none, or its owner is another.
 *
 * @throws TypedError INVALID_REQUEST 400.
 */
export async function findNamedSession(
  { sessions }: Pick<NamedSessionDeps, 'sessions'>,
  { principalId, name }: SessionName,
): Promise<SessionRow | undefined> {
  const sessionId = namedSessionId(principalId, name);
  const session = await sessions.get(sessionId).catch((error: unknown) => {
    if (isTypedError(error, 'SESSION_NOT_FOUND')) return undefined;
    throw error;
  });
  return session?.principalId === principalId ? session : undefined;
}

/**
 * Finds the session that a principal names, or creates it. Of simultaneous calls one creates it.
 *
 * @throws TypedError SESSION_NOT_FOUND 404 for another principal's session and for a session's id that
 *   does not exist, SESSION_LIMIT 429, INVALID_REQUEST 400, WORKING_ROOT_* for its folder.
 */
export async function openNamedSession(
  deps: NamedSessionDeps,
  wanted: NamedSessionParams,
): Promise<OpenedSession> {
  const { principal, name } = wanted;
  const found = await findNamedSession(deps, { principalId: principal.id, name });
  return found === undefined ? createNamedSession(deps, wanted) : { session: found, isNew: false };
}

async function createNamedSession(
  deps: NamedSessionDeps,
  wanted: NamedSessionParams,
): Promise<OpenedSession> {
  const { sessions, projectRoots, terms } = deps;
  const { principal, name, persona, origin, expiresAfterMs } = wanted;
  const { id: principalId, credential } = principal;
  // A session's id that does not exist was deleted: its client must learn that.
  if (isId('sess', name)) throw sessionNotFound(name);
  const named = wanted.projectRoot ?? (await projectRoots.defaultOf(principal));
  const projectRoot = await projectRoots.check(named, principal);
  const id = namedSessionId(principalId, name);
  const { mode = DEFAULT_MODE, ...given } = await terms.check(
    {},
    { caller: principal, projectRoot },
  );
  try {
    const row = { id, principalId, credential, projectRoot, persona, mode, origin, ...given };
    const wantedRow = { ...row, clientName: name, ...compact({ expiresAfterMs }) };
    return { session: await sessions.create(wantedRow), isNew: true };
  } catch (error) {
    // A simultaneous request may have created it: as the last session that the limit allows, too.
    const made = await findNamedSession(deps, { principalId, name });
    if (made === undefined) throw error;
    return { session: made, isNew: false };
  }
}
