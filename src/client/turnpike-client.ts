import { ApprovalCalls } from './calls/approval-calls.js';
import { SessionCalls, type Page, TurnCalls } from './calls/session-calls.js';
import { DataCalls, KeyCalls, TokenCalls } from './calls/admin-calls.js';
import { FeedbackCalls, MemoryCalls, SettingCalls } from './calls/principal-calls.js';
import { Transport, type Call, type ClientOptions } from './transport/transport.js';
import type {
  AgentProblem,
  AgentSummary,
  CallerView,
  DayOfUsage,
  UsageDaysQuery,
  ListedFault,
  ListedMcpServer,
  ListedTool,
  MessageView,
  ModelList,
  QueueView,
  SkillView,
  Trial,
  TrialResult,
  UsageView,
} from './server-types.js';
import {
  startTurn,
  type ObjectRequest,
  type ObjectTurn,
  type TurnRequest,
} from './turn/start-turn.js';
import { FollowedTurn, type FollowOptions, type Turn } from './turn/turn.js';
import { UploadCalls } from './calls/upload-calls.js';
import { McpLoginCalls, ScheduleCalls, WebhookCalls } from './calls/automation-calls.js';

export { ConnectionLostError, TurnpikeError } from './transport/client-errors.js';
export type { Call, ClientOptions, Retrying } from './transport/transport.js';
export type { HarnessEvent, TurnEvents } from './turn/follow-turn.js';
export type * from './server-types.js';
export type { FileToSend } from './calls/upload-calls.js';
export type { MemoryWrite } from './calls/principal-calls.js';
export type { Page } from './calls/session-calls.js';
export type { ObjectOf } from './turn/schema-type.js';
export type { ObjectRequest, ObjectTurn, TurnRequest } from './turn/start-turn.js';
export type { FollowedTurn, FollowOptions, Turn } from './turn/turn.js';
export type { TurnResult } from './turn/turn-result.js';
export type { UploadOptions, UploadProgress } from './calls/upload-calls.js';
export type { DeliveryQuery } from './calls/automation-calls.js';

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
  readonly tokens: TokenCalls;
  readonly feedback: FeedbackCalls;
  readonly memory: MemoryCalls;
  readonly webhooks: WebhookCalls;
  readonly mcpLogins: McpLoginCalls;
  readonly schedules: ScheduleCalls;
  readonly data: DataCalls;
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    const transport = new Transport(options);
    this.#transport = transport;
    this.sessions = new SessionCalls(transport);
    this.turns = new TurnCalls(transport);
    this.approvals = new ApprovalCalls(transport);
    this.settings = new SettingCalls(transport);
    this.uploads = new UploadCalls(transport);
    this.keys = new KeyCalls(transport);
    this.tokens = new TokenCalls(transport);
    this.feedback = new FeedbackCalls(transport);
    this.memory = new MemoryCalls(transport);
    this.webhooks = new WebhookCalls(transport);
    this.mcpLogins = new McpLoginCalls(transport);
    this.schedules = new ScheduleCalls(transport);
    this.data = new DataCalls(transport);
  }

  /**
   * Submits a turn; resolves once the server has accepted it. The type of the result's `output` follows from
   * the schema in `opts.output`.
   */
  turn<const Schema>(request: ObjectRequest<Schema>): Promise<ObjectTurn<Schema>>;
  turn(request: TurnRequest): Promise<Turn>;
  turn(request: TurnRequest): Promise<Turn> {
    return startTurn(this.#transport, request);
  }

  /** A turn that runs or ran, from its start or after an event. The first loop sends the request. */
  follow(turnId: string, options: FollowOptions = {}): FollowedTurn {
    return new FollowedTurn(this.#transport, turnId, options);
  }

  /** A session's messages, oldest first, a page of turns at a time. */
  messages(
    sessionId: string,
    page: Page = {},
  ): Promise<{ messages: MessageView[]; nextCursor?: string }> {
    return this.sessions.messages(sessionId, page);
  }

  /** The named agents. */
  async agents(): Promise<AgentSummary[]> {
    return (await this.agentFiles()).agents;
  }

  /** The named agents, and the faults of their files. */
  agentFiles(): Promise<{ agents: AgentSummary[]; problems: AgentProblem[] }> {
    return this.#transport.json({ path: '/agents' });
  }

  /** The models that turns may name, and the default model. */
  models(): Promise<ModelList> {
    return this.#transport.json({ path: '/api/harness/models' });
  }

  /** The server's tools by name, with those of MCP servers that turns have used. */
  async tools(): Promise<ListedTool[]> {
    const all: ListedTool[] = [];
    let cursor: string | undefined;
    do {
      const call = { path: '/api/harness/tools', query: { cursor } };
      const page = await this.#transport.json<{ tools: ListedTool[]; nextCursor?: string }>(call);
      all.push(...page.tools);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return all;
  }

  /** The MCP servers of the server's configuration, and whether turns could use them. */
  mcpServers(): Promise<ListedMcpServer[]> {
    return this.#transport.field('mcpServers', '/api/harness/tools', { query: { limit: 1 } });
  }

  /** MCP servers as `mcpServers` has them, and the faults of changed files under `turnpike dev`. */
  toolSources(): Promise<{ mcpServers: ListedMcpServer[]; faults: ListedFault[] }> {
    return this.#transport.json({ path: '/api/harness/tools', query: { limit: 1 } });
  }

  /**
   * Runs a tool of an extension or an MCP server once, without a model; for a key with the scope `admin`. What does more
   * than read needs `confirmed`.
   */
  tryTool(trial: Trial): Promise<TrialResult> {
    return this.#transport.json({ method: 'POST', path: '/api/admin/tools/try', body: trial });
  }

  /** Starts an MCP server of the configuration, and lists its tools; for a key with the scope `admin`. */
  startMcpServer(server: string): Promise<ListedMcpServer> {
    return this.#transport.json({
      method: 'POST',
      path: '/api/admin/tools/start',
      body: { server },
    });
  }

  /** The skills of the server, or of an agent; a file with faults is no skill. */
  skills({ agent }: { agent?: string | undefined } = {}): Promise<SkillView[]> {
    return this.#transport.field('skills', '/api/harness/skills', { query: { agent } });
  }

  /** Turns that have not ended, and the workers' slots; for a key with the scope `admin`. */
  queue(): Promise<QueueView> {
    return this.#transport.json({ path: '/api/admin/queue' });
  }

  /** Who the caller is, by which credential, what it may do, and until when. */
  me(): Promise<CallerView> {
    return this.#transport.json({ path: '/api/harness/me' });
  }

  /** The caller's usage of its limits today. */
  usage(): Promise<UsageView> {
    return this.#transport.json({ path: '/api/harness/usage' });
  }

  /** Turns, tokens and cost of the last 30 days, by day, principal and model. */
  usageDays(query: UsageDaysQuery = {}): Promise<DayOfUsage[]> {
    return this.#transport.field('days', '/api/harness/usage/days', { query: { ...query } });
  }

  /** Calls any other route, with the same errors. Nothing checks the answer against its type. */
  request<Answer>(call: Call): Promise<Answer> {
    return this.#transport.json(call);
  }
}
