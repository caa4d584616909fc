import { newKey } from '../turn/new-key.js';
import type { Transport } from '../transport/transport.js';
import type {
  BootReport,
  ForkedSession,
  ListedSession,
  ListedTurnView,
  MessageView,
  SessionDefaults,
  SessionRecord,
  SkillView,
  WantedFork,
  WantedSession,
  TurnOptions,
} from '../server-types.js';

export interface Page {
  /** The page token: `nextCursor` of the page before. */
  cursor?: string | undefined;
  /** 1 to 200. Default: 50. */
  limit?: number | undefined;
}

/** A page of a conversation. */
export interface LinePage extends Page {
  /** `show`: with the turns that others took the place of. Default: hide. */
  superseded?: 'hide' | 'show' | undefined;
}

/** A page of the list of sessions. */
export interface SessionListPage extends Page {
  /** Text of the title, of the first message or of the folder. */
  search?: string | undefined;
  /** Sessions that schedules made. Default: show. */
  scheduled?: 'show' | 'hide' | 'only' | undefined;
}

/** Sessions: `client.sessions`. */
export class SessionCalls {
  constructor(private readonly transport: Transport) {}

  /** Creates a session, in the caller's own folder where none is given. */
  async create(wanted: WantedSession = {}): Promise<SessionRecord> {
    const path = '/api/harness/session/create';
    const call = { method: 'POST' as const, path, body: wanted };
    return (await this.transport.json<{ session: SessionRecord }>(call)).session;
  }

  /** Who the caller is and may do, and what a session has that names nothing. */
  defaults(): Promise<SessionDefaults> {
    return this.transport.json({ path: '/api/harness/session/defaults' });
  }

  async get(sessionId: string): Promise<SessionRecord> {
    return (await this.transport.json<{ session: SessionRecord }>({ path: pathOf(sessionId) }))
      .session;
  }

  /**
   * Begins a session with the history of another one up to a turn; files stay as they are.
   *
   * @param key the Idempotency-Key: a repeat answers with the first fork. Default: a new one.
   */
  fork(sessionId: string, wanted: WantedFork, key: string = newKey()): Promise<ForkedSession> {
    const path = `/api/harness/sessions/${encodeURIComponent(sessionId)}/fork`;
    const headers = { 'idempotency-key': key };
    return this.transport.json({ method: 'POST', path, body: wanted, headers });
  }

  /** The caller's sessions of all folders, the last used first. */
  list(page: SessionListPage = {}): Promise<{ sessions: ListedSession[]; nextCursor?: string }> {
    return this.transport.json({ path: '/api/harness/sessions', query: { ...page } });
  }

  /** The sessions of a project folder, oldest first. */
  async inFolder(projectRoot: string): Promise<SessionRecord[]> {
    const path = '/api/harness/session/list';
    const call = { path, query: { projectRoot } };
    return (await this.transport.json<{ sessions: SessionRecord[] }>(call)).sessions;
  }

  /** Gives a session another title. @param title null: the beginning of its first message. */
  async rename(sessionId: string, title: string | null): Promise<SessionRecord> {
    const call = { method: 'PATCH' as const, path: pathOf(sessionId), body: { title } };
    return (await this.transport.json<{ session: SessionRecord }>(call)).session;
  }

  /** Deletes a session; its active turn is ended first. */
  async delete(sessionId: string): Promise<void> {
    await this.transport.json({ method: 'DELETE', path: pathOf(sessionId) });
  }

  /** Checks everything that a turn of the session needs. */
  boot(sessionId: string, opts?: Readonly<TurnOptions>): Promise<BootReport> {
    const body = { sessionId, ...(opts === undefined ? {} : { opts }) };
    return this.transport.json({ method: 'POST', path: '/api/harness/session/boot', body });
  }

  /** The skills of the session's agent and, where that is set, of its project. */
  async skills(sessionId: string): Promise<SkillView[]> {
    const path = `/api/harness/sessions/${encodeURIComponent(sessionId)}/skills`;
    return (await this.transport.json<{ skills: SkillView[] }>({ path })).skills;
  }

  /** The session's messages, oldest first, a page of turns at a time. */
  messages(
    sessionId: string,
    page: LinePage = {},
  ): Promise<{ messages: MessageView[]; nextCursor?: string }> {
    const path = `/api/harness/sessions/${encodeURIComponent(sessionId)}/messages`;
    return this.transport.json({ path, query: { ...page } });
  }

  /** The session's turns, newest first. */
  turns(
    sessionId: string,
    page: LinePage = {},
  ): Promise<{ turns: ListedTurnView[]; nextCursor?: string }> {
    const path = `/api/harness/sessions/${encodeURIComponent(sessionId)}/turns`;
    return this.transport.json({ path, query: { ...page } });
  }
}

function pathOf(sessionId: string): string {
  return `/api/harness/session/${encodeURIComponent(sessionId)}`;
}
