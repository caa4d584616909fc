import { ApprovalCalls } from './approval-calls.js';
import { KeyCalls } from './key-calls.js';
import { Line, type Call, type ClientOptions } from './transport.js';
import type {
  AgentSummary,
  ListedTool,
  MessageView,
  ModelList,
  QueueView,
  UsageView,
} from './server-types.js';
import { SessionCalls, type Page } from './session-calls.js';
import { SettingCalls } from './setting-calls.js';
import { startTurn, type TurnRequest } from './start-turn.js';
import { FollowedTurn, type FollowOptions, type Turn } from './turn.js';
import { TurnCalls } from './turn-calls.js';
import { UploadCalls } from './upload-calls.js';

export { ConnectionLostError, TurnpikeError } from './client-errors.js';
export type { Call, ClientOptions, Retrying } from './transport.js';
export type { HarnessEvent, TurnEvents } from './harness-event.js';
export type * from './server-types.js';
export type { FileToSend } from './sent-file.js';
export type { Page } from './session-calls.js';
export type { TurnRequest } from './start-turn.js';
export type { FollowedTurn, FollowOptions, Turn } from './turn.js';
export type { TurnResult } from './turn-result.js';
export type { UploadOptions, UploadProgress } from './upload-calls.js';

/**
 * A Turnpike server, from a browser or from Node. Refusals are thrown as `TurnpikeError`, a server
 * that is not reached as `ConnectionLostError`.
 */
export class TurnpikeClient {
  readonly sessions: SessionCalls;
  readonly turns: TurnCalls;
  readonly approvals: ApprovalCalls;
  readonly settings: SettingCalls;
  readonly uploads: UploadCalls;
  readonly keys: KeyCalls;
  readonly #line: Line;

  constructor(options: ClientOptions) {
    const line = new Line(options);
    this.#line = line;
    this.sessions = new SessionCalls(line);
    this.turns = new TurnCalls(line);
    this.approvals = new ApprovalCalls(line);
    this.settings = new SettingCalls(line);
    this.uploads = new UploadCalls(line);
    this.keys = new KeyCalls(line);
  }

  /** Asks for a turn; resolves when the server has taken it. */
  turn(request: TurnRequest): Promise<Turn> {
    return startTurn(this.#line, request);
  }

  /** A turn that runs or ran, from its start or after an event. Nothing is sent before it is read. */
  follow(turnId: string, options: FollowOptions = {}): FollowedTurn {
    return new FollowedTurn(this.#line, turnId, options);
  }

  /** What was said in a session, oldest first, a page of turns at a time. */
  messages(
    sessionId: string,
    page: Page = {},
  ): Promise<{ messages: MessageView[]; nextCursor?: string }> {
    return this.sessions.messages(sessionId, page);
  }

  /** The named agents. */
  async agents(): Promise<AgentSummary[]> {
    return (await this.#line.json<{ agents: AgentSummary[] }>({ path: '/agents' })).agents;
  }

  /** The models that turns may name, and the one of turns that name none. */
  models(): Promise<ModelList> {
    return this.#line.json({ path: '/api/harness/models' });
  }

  /** The server's tools by name, with those of MCP servers that turns have used. */
  async tools(): Promise<ListedTool[]> {
    const all: ListedTool[] = [];
    let cursor: string | undefined;
    do {
      const call = { path: '/api/harness/tools', query: { cursor } };
      const page = await this.#line.json<{ tools: ListedTool[]; nextCursor?: string }>(call);
      all.push(...page.tools);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return all;
  }

  /** Turns that have not ended, and the workers' places; for a key with the scope `admin`. */
  queue(): Promise<QueueView> {
    return this.#line.json({ path: '/api/admin/queue' });
  }

  /** What the caller has used of its limits today. */
  usage(): Promise<UsageView> {
    return this.#line.json({ path: '/api/harness/usage' });
  }

  /** Any other route, with the same errors. The answer's type is the caller's claim. */
  request<Answer>(call: Call): Promise<Answer> {
    return this.#line.json(call);
  }
}
