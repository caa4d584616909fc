import { newKey, route, type Transport } from '../transport/transport.js';
import type {
  BootReport,
  ForkedSession,
  ListedSession,
  ListedTurnView,
  MessageView,
  SessionDefaults,
  SessionRecord,
  PromptView,
  SkillView,
  WantedFork,
  WantedSession,
  TurnOptions,
  CallView,
  CancelState,
  ReplayView,
  StepView,
  TurnComparison,
  TurnEvent,
  TurnFilters,
  TurnList,
  TurnSummary,
  TurnRecord,
  WantedReplay,
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
  create(wanted: WantedSession = {}): Promise<SessionRecord> {
    return this.transport.field('session', '/api/harness/session/create', {
      method: 'POST',
      body: wanted,
    });
  }

  /** Who the caller is and may do, and what a session has that names nothing. */
  defaults(): Promise<SessionDefaults> {
    return this.transport.json({ path: '/api/harness/session/defaults' });
  }

  get(sessionId: string): Promise<SessionRecord> {
    return this.transport.field('session', route`/api/harness/session/${sessionId}`);
  }

  /**
   * Begins a session with the history of another one up to a turn; files stay as they are.
   *
   * @param key the Idempotency-Key: a repeat answers with the first fork. Default: a new one.
   */
  fork(sessionId: string, wanted: WantedFork, key: string = newKey()): Promise<ForkedSession> {
    const path = route`/api/harness/sessions/${sessionId}/fork`;
    const headers = { 'idempotency-key': key };
    return this.transport.json({ method: 'POST', path, body: wanted, headers });
  }

  /** The caller's sessions of all folders, the last used first. */
  list(page: SessionListPage = {}): Promise<{ sessions: ListedSession[]; nextCursor?: string }> {
    return this.transport.json({ path: '/api/harness/sessions', query: { ...page } });
  }

  /** The sessions of a project folder, oldest first. */
  inFolder(projectRoot: string): Promise<SessionRecord[]> {
    return this.transport.field('sessions', '/api/harness/session/list', {
      query: { projectRoot },
    });
  }

  /** Gives a session another title. @param title null: the beginning of its first message. */
  rename(sessionId: string, title: string | null): Promise<SessionRecord> {
    return this.transport.field('session', route`/api/harness/session/${sessionId}`, {
      method: 'PATCH',
      body: { title },
    });
  }

  /** Deletes a session; its active turn is ended first. */
  async delete(sessionId: string): Promise<void> {
    await this.transport.json({ method: 'DELETE', path: route`/api/harness/session/${sessionId}` });
  }

  /** Checks everything that a turn of the session needs. */
  boot(sessionId: string, opts?: Readonly<TurnOptions>): Promise<BootReport> {
    const body = { sessionId, ...(opts === undefined ? {} : { opts }) };
    return this.transport.json({ method: 'POST', path: '/api/harness/session/boot', body });
  }

  /** The skills of the session's agent and, where that is set, of its project. */
  skills(sessionId: string): Promise<SkillView[]> {
    return this.transport.field('skills', route`/api/harness/sessions/${sessionId}/skills`);
  }

  /** The prompts of the session's MCP servers: `opts.prompt` of a turn names one. */
  prompts(sessionId: string): Promise<PromptView[]> {
    return this.transport.field('prompts', route`/api/harness/sessions/${sessionId}/prompts`);
  }

  /** The session's messages, oldest first, a page of turns at a time. */
  messages(
    sessionId: string,
    page: LinePage = {},
  ): Promise<{ messages: MessageView[]; nextCursor?: string }> {
    return this.transport.json({
      path: route`/api/harness/sessions/${sessionId}/messages`,
      query: { ...page },
    });
  }

  /** The session's turns, newest first. */
  turns(
    sessionId: string,
    page: LinePage = {},
  ): Promise<{ turns: ListedTurnView[]; nextCursor?: string }> {
    return this.transport.json({
      path: route`/api/harness/sessions/${sessionId}/turns`,
      query: { ...page },
    });
  }
}

/** Turns beside their streams: `client.turns`. */
export class TurnCalls {
  constructor(private readonly transport: Transport) {}

  /** Turns of all the caller's sessions, the newest first. */
  list(filters: TurnFilters = {}): Promise<TurnList> {
    return this.transport.json({ path: '/api/harness/turns', query: { ...filters } });
  }

  /** Everybody's turns, for a key with the scope `admin`; those of others without their texts. */
  listAll(filters: TurnFilters = {}): Promise<TurnList> {
    return this.transport.json({ path: '/api/admin/turns', query: { ...filters } });
  }

  /**
   * Events of anybody's turn, for a key with the scope `admin`.
   *
   * @param texts whether they have what was said, which needs the scope `texts` and is noted. Default: false.
   */
  anyLog(
    turnId: string,
    { texts = false, ...page }: Page & { texts?: boolean } = {},
  ): Promise<{ events: TurnEvent[]; nextCursor?: string }> {
    const query = { ...page, ...(texts && { texts: 'true' }) };
    return this.transport.json({ path: route`/api/admin/turns/${turnId}/log`, query });
  }

  /** Anybody's turn with its steps, times and cost, for a key with the scope `admin`. */
  summary(turnId: string): Promise<TurnSummary> {
    return this.transport.field('turn', route`/api/admin/turns/${turnId}`);
  }

  get(turnId: string): Promise<TurnRecord> {
    return this.transport.field('turn', route`/api/harness/turns/${turnId}`);
  }

  /**
   * Asks the server to end a turn, running, queued or held. May be called again.
   *
   * @returns `ended` where the turn had not started and is over; otherwise it ends shortly.
   */
  interrupt(turnId: string): Promise<CancelState> {
    return this.transport.field('state', route`/api/harness/turns/${turnId}/interrupt`, {
      method: 'POST',
    });
  }

  /**
   * Runs an ended turn again in a session of its own, on recorded results of tools. Follow the turn of the answer.
   *
   * @param key the Idempotency-Key: a repeat answers with the first replay. Default: a new one.
   */
  replay(turnId: string, wanted: WantedReplay = {}, key: string = newKey()): Promise<TurnRecord> {
    const path = route`/api/harness/turns/${turnId}/replay`;
    const headers = { 'idempotency-key': key };
    return this.transport.field('turn', path, { method: 'POST', body: wanted, headers });
  }

  /** Replays of the turn, the newest first. */
  replays(
    turnId: string,
    page: Page = {},
  ): Promise<{ replays: ReplayView[]; nextCursor?: string }> {
    return this.transport.json({
      path: route`/api/harness/turns/${turnId}/replays`,
      query: { ...page },
    });
  }

  /** Two turns side by side: the turn on the left, the other on the right. */
  compare(turnId: string, otherId: string): Promise<TurnComparison> {
    return this.transport.json({
      path: route`/api/harness/turns/${turnId}/compare`,
      query: { with: otherId },
    });
  }

  /** The turn's model calls, in order. */
  steps(turnId: string, page: Page = {}): Promise<{ steps: StepView[]; nextCursor?: string }> {
    return this.transport.json({
      path: route`/api/harness/turns/${turnId}/steps`,
      query: { ...page },
    });
  }

  /** The turn's tool calls, from the ledger. */
  calls(turnId: string, page: Page = {}): Promise<{ calls: CallView[]; nextCursor?: string }> {
    return this.transport.json({
      path: route`/api/harness/turns/${turnId}/tools`,
      query: { ...page },
    });
  }

  /** The turn's events with their times. `limit`: 1 to 1,000; default: 200. */
  log(turnId: string, page: Page = {}): Promise<{ events: TurnEvent[]; nextCursor?: string }> {
    return this.transport.json({
      path: route`/api/harness/turns/${turnId}/log`,
      query: { ...page },
    });
  }
}
