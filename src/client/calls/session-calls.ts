import { newKey, type Transport } from '../transport/transport.js';
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
  CallView,
  CancelState,
  ReplayView,
  StepView,
  TurnComparison,
  TurnEvent,
  TurnRecord,
  WantedReplay,
  ApprovalView,
  ListedApprovalView,
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
    return (await this.transport.json<{ session: SessionRecord }>({ path: sessionPath(sessionId) }))
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
    const call = { method: 'PATCH' as const, path: sessionPath(sessionId), body: { title } };
    return (await this.transport.json<{ session: SessionRecord }>(call)).session;
  }

  /** Deletes a session; its active turn is ended first. */
  async delete(sessionId: string): Promise<void> {
    await this.transport.json({ method: 'DELETE', path: sessionPath(sessionId) });
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

function sessionPath(sessionId: string): string {
  return `/api/harness/session/${encodeURIComponent(sessionId)}`;
}

/** Turns beside their streams: `client.turns`. */
export class TurnCalls {
  constructor(private readonly transport: Transport) {}

  async get(turnId: string): Promise<TurnRecord> {
    return (await this.transport.json<{ turn: TurnRecord }>({ path: turnPath(turnId) })).turn;
  }

  /**
   * Asks the server to end a turn, running, queued or held. May be called again.
   *
   * @returns `ended` where the turn had not started and is over; otherwise it ends shortly.
   */
  async interrupt(turnId: string): Promise<CancelState> {
    const call = { method: 'POST' as const, path: `${turnPath(turnId)}/interrupt` };
    return (await this.transport.json<{ state: CancelState }>(call)).state;
  }

  /**
   * Runs an ended turn again in a session of its own, on recorded results of tools. Follow the turn of the answer.
   *
   * @param key the Idempotency-Key: a repeat answers with the first replay. Default: a new one.
   */
  async replay(
    turnId: string,
    wanted: WantedReplay = {},
    key: string = newKey(),
  ): Promise<TurnRecord> {
    const path = `${turnPath(turnId)}/replay`;
    const headers = { 'idempotency-key': key };
    const call = { method: 'POST' as const, path, body: wanted, headers };
    return (await this.transport.json<{ turn: TurnRecord }>(call)).turn;
  }

  /** Replays of the turn, the newest first. */
  replays(
    turnId: string,
    page: Page = {},
  ): Promise<{ replays: ReplayView[]; nextCursor?: string }> {
    return this.transport.json({ path: `${turnPath(turnId)}/replays`, query: { ...page } });
  }

  /** Two turns side by side: the turn on the left, the other on the right. */
  compare(turnId: string, otherId: string): Promise<TurnComparison> {
    return this.transport.json({ path: `${turnPath(turnId)}/compare`, query: { with: otherId } });
  }

  /** The turn's model calls, in order. */
  steps(turnId: string, page: Page = {}): Promise<{ steps: StepView[]; nextCursor?: string }> {
    return this.transport.json({ path: `${turnPath(turnId)}/steps`, query: { ...page } });
  }

  /** The turn's tool calls, from the ledger. */
  calls(turnId: string, page: Page = {}): Promise<{ calls: CallView[]; nextCursor?: string }> {
    return this.transport.json({ path: `${turnPath(turnId)}/tools`, query: { ...page } });
  }

  /** The turn's events with their times. `limit`: 1 to 1,000; default: 200. */
  log(turnId: string, page: Page = {}): Promise<{ events: TurnEvent[]; nextCursor?: string }> {
    return this.transport.json({ path: `${turnPath(turnId)}/log`, query: { ...page } });
  }
}

function turnPath(turnId: string): string {
  return `/api/harness/turns/${encodeURIComponent(turnId)}`;
}

export interface ApprovalQuery extends Page {
  sessionId?: string;
  turnId?: string;
  /** Default: pending. */
  status?: 'pending' | 'all';
}

/** Questions that turns are parked on: `client.approvals`. The same answer may be sent again. */
export class ApprovalCalls {
  constructor(private readonly transport: Transport) {}

  list(
    query: ApprovalQuery = {},
  ): Promise<{ approvals: ListedApprovalView[]; nextCursor?: string }> {
    return this.transport.json({ path: '/api/harness/approvals', query: { ...query } });
  }

  async get(approvalId: string): Promise<ApprovalView> {
    const call = { path: approvalPath(approvalId) };
    return (await this.transport.json<{ approval: ApprovalView }>(call)).approval;
  }

  /** @param changes an input that replaces the model's. */
  approve(approvalId: string, changes: { input?: unknown } = {}): Promise<ApprovalView> {
    return this.#answer(approvalId, { decision: 'approve', ...changes });
  }

  /** Approves the call and, for the session, every call with the same input or, with `rule`, under it. */
  approveForSession(
    approvalId: string,
    changes: { input?: unknown; rule?: string } = {},
  ): Promise<ApprovalView> {
    return this.#answer(approvalId, { decision: 'approve-session', ...changes });
  }

  /** @param message for the model. */
  deny(approvalId: string, message?: string): Promise<ApprovalView> {
    return this.#answer(approvalId, { decision: 'deny', message });
  }

  /** Answers a client tool's call with its output: a text or any JSON. */
  answer(
    approvalId: string,
    output: unknown,
    { isError = false }: { isError?: boolean } = {},
  ): Promise<ApprovalView> {
    return this.#answer(approvalId, { decision: 'answer', output, isError });
  }

  async #answer(approvalId: string, body: Record<string, unknown>): Promise<ApprovalView> {
    const call = { method: 'POST' as const, path: approvalPath(approvalId), body };
    return (await this.transport.json<{ approval: ApprovalView }>(call)).approval;
  }
}

function approvalPath(approvalId: string): string {
  return `/api/harness/approvals/${encodeURIComponent(approvalId)}`;
}
