import type { Clock } from '../platform/clock.js';
import { boardClosed, forbiddenScope } from '../access/access-errors.js';
import type { Authenticator } from '../access/authenticator.js';
import { parseBoardCookie } from './board-cookie.js';
import type { BoardSessions } from '../turn/queue/board-sessions.js';
import type { KeyStore } from '../access/key-store.js';
import type { KnownKeys } from '../access/known-keys.js';
import { parseCredentials, type RequestHead } from '../access/parse-credentials.js';
import { viewKey } from '../access/view-key.js';

export interface BoardAccessDeps {
  authenticator: Pick<Authenticator, 'authenticate'>;
  keys: Pick<KnownKeys, 'census'>;
  store: Pick<KeyStore, 'find'>;
  sessions: BoardSessions;
  clock: Clock;
}

/**
 * Admits to the queue's job board: a key with the scope `admin`, or a cookie issued for such a key.
 */
export class BoardAccess {
  constructor(private readonly deps: BoardAccessDeps) {}

  /** @throws TypedError UNAUTHENTICATED 401, FORBIDDEN_SCOPE 403, FORBIDDEN_ORIGIN 403. */
  async check(head: RequestHead): Promise<void> {
    const { authenticator, keys } = this.deps;
    const key = parseCredentials(head);
    const { isKeyed } = await keys.census();
    if (isKeyed && (await this.#hasSession(head))) return;
    // A browser that opens the page sends no key: the error names the page to begin at.
    if (isKeyed && key === undefined) throw boardClosed();
    const { keyId, scopes } = await authenticator.authenticate(head);
    if (keyId !== null && !scopes.includes('admin')) throw forbiddenScope('admin', scopes);
  }

  /** The key is loaded each time: a revoked key opens nothing. */
  async #hasSession(head: RequestHead): Promise<boolean> {
    const { sessions, store, clock } = this.deps;
    const token = parseBoardCookie(head);
    const keyId = token === undefined ? undefined : await sessions.find(token);
    const key = keyId === undefined ? undefined : await store.find(keyId);
    if (key === undefined) return false;
    const { status, scopes } = viewKey(key, clock.now());
    return status === 'active' && scopes.includes('admin');
  }
}
