import { createHash } from 'node:crypto';
import type { Principal } from '../access/ownership/principal.js';
import { isId } from '../platform/ids.js';
import { invalidRequest, TypedError } from '../platform/typed-error.js';
import type { SessionOrigin } from '../storage/schema.js';
import type { ProjectRoots } from './project-roots.js';
import { sessionNotFound } from './session-errors.js';
import type { SessionRow, SessionStore } from './session-store.js';

/** Characters of a client's id. */
export const LONGEST_THREAD_ID = 256;

export interface ThreadDeps {
  sessions: Pick<SessionStore, 'get' | 'create'>;
  projectRoots: Pick<ProjectRoots, 'check' | 'defaultOf'>;
}

export interface NamedThread {
  principalId: string;
  /** As the client names it. */
  threadId: string;
}

export interface WantedThread {
  principal: Principal;
  /** The wire that asks for it. */
  origin: SessionOrigin;
  /** As the client names it. */
  threadId: string;
  /** Of a session that is made for it. */
  persona: string;
  /** Of a session that is made for it; undefined: the principal's default. */
  projectRoot: string | undefined;
}

/**
 * The session of a thread, on wires whose clients name their own. An id of ours is its own session;
 * any other text is that of one session for each principal. Pure.
 *
 * @throws TypedError INVALID_REQUEST 400 for an empty id and for one that is too long.
 */
export function threadSessionId(principalId: string, threadId: string): string {
  if (threadId === '' || threadId.length > LONGEST_THREAD_ID) {
    throw invalidRequest(
      `The id of a conversation must have 1 to ${LONGEST_THREAD_ID} characters; this one has ${threadId.length}`,
    );
  }
  if (isId('sess', threadId)) return threadId;
  const hash = createHash('sha256')
    .update(JSON.stringify([principalId, threadId]))
    .digest('hex');
  // A UUID whose version says that it is made of a name, and whose variant is the usual one.
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
 * The session of a thread; undefined where the principal has none of it, be it somebody else's.
 *
 * @throws TypedError INVALID_REQUEST 400.
 */
export async function findThread(
  { sessions }: Pick<ThreadDeps, 'sessions'>,
  { principalId, threadId }: NamedThread,
): Promise<SessionRow | undefined> {
  const sessionId = threadSessionId(principalId, threadId);
  const session = await sessions.get(sessionId).catch((error: unknown) => {
    if (error instanceof TypedError && error.type === 'SESSION_NOT_FOUND') return undefined;
    throw error;
  });
  return session?.principalId === principalId ? session : undefined;
}

/**
 * The session of a thread, made if there is none. Of several at once, one makes it.
 *
 * @throws TypedError SESSION_NOT_FOUND 404 for a session of somebody else and for an id of ours that
 *   is none, SESSION_LIMIT 429, INVALID_REQUEST 400, WORKING_ROOT_* for its folder.
 */
export async function openThread(deps: ThreadDeps, wanted: WantedThread): Promise<SessionRow> {
  const { principal, threadId } = wanted;
  const found = await findThread(deps, { principalId: principal.id, threadId });
  return found ?? begin(deps, wanted);
}

async function begin(deps: ThreadDeps, wanted: WantedThread): Promise<SessionRow> {
  const { sessions, projectRoots } = deps;
  const { principal, threadId, persona, origin } = wanted;
  const { id: principalId } = principal;
  // Made by a server, and deleted since: its client must learn that.
  if (isId('sess', threadId)) throw sessionNotFound(threadId);
  const named = wanted.projectRoot ?? (await projectRoots.defaultOf(principal));
  const projectRoot = await projectRoots.check(named, principal);
  const id = threadSessionId(principalId, threadId);
  try {
    const row = { id, principalId, projectRoot, persona, mode: 'direct', origin };
    return await sessions.create(row);
  } catch (error) {
    // Another request for it may have been quicker, and taken the last place.
    const made = await findThread(deps, { principalId, threadId });
    if (made === undefined) throw error;
    return made;
  }
}
