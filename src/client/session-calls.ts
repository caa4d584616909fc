import type { Line } from './transport.js';
import type {
  BootReport,
  ListedSession,
  ListedTurnView,
  MessageView,
  SessionRecord,
  WantedSession,
} from './server-types.js';

export interface Page {
  /** `nextCursor` of the page before. */
  cursor?: string | undefined;
  /** 1 to 200. Default: 50. */
  limit?: number | undefined;
}

/** Sessions: `client.sessions`. */
export class SessionCalls {
  constructor(private readonly line: Line) {}

  async create(wanted: WantedSession): Promise<SessionRecord> {
    const path = '/api/harness/session/create';
    const call = { method: 'POST' as const, path, body: wanted };
    return (await this.line.json<{ session: SessionRecord }>(call)).session;
  }

  async get(sessionId: string): Promise<SessionRecord> {
    return (await this.line.json<{ session: SessionRecord }>({ path: pathOf(sessionId) })).session;
  }

  /** The caller's of all folders, the one used last first. */
  list(page: Page = {}): Promise<{ sessions: ListedSession[]; nextCursor?: string }> {
    return this.line.json({ path: '/api/harness/sessions', query: { ...page } });
  }

  /** Those of a project folder, oldest first. */
  async inFolder(projectRoot: string): Promise<SessionRecord[]> {
    const path = '/api/harness/session/list';
    const call = { path, query: { projectRoot } };
    return (await this.line.json<{ sessions: SessionRecord[] }>(call)).sessions;
  }

  /** A turn that runs in it is ended first. */
  async delete(sessionId: string): Promise<void> {
    await this.line.json({ method: 'DELETE', path: pathOf(sessionId) });
  }

  /** Checks everything a turn of the session will need. */
  boot(sessionId: string, opts?: Readonly<Record<string, unknown>>): Promise<BootReport> {
    const body = { sessionId, ...(opts === undefined ? {} : { opts }) };
    return this.line.json({ method: 'POST', path: '/api/harness/session/boot', body });
  }

  /** What was said, oldest first, a page of turns at a time. */
  messages(
    sessionId: string,
    page: Page = {},
  ): Promise<{ messages: MessageView[]; nextCursor?: string }> {
    const path = `/api/harness/sessions/${encodeURIComponent(sessionId)}/messages`;
    return this.line.json({ path, query: { ...page } });
  }

  /** Its turns, the newest first. */
  turns(
    sessionId: string,
    page: Page = {},
  ): Promise<{ turns: ListedTurnView[]; nextCursor?: string }> {
    const path = `/api/harness/sessions/${encodeURIComponent(sessionId)}/turns`;
    return this.line.json({ path, query: { ...page } });
  }
}

function pathOf(sessionId: string): string {
  return `/api/harness/session/${encodeURIComponent(sessionId)}`;
}
