import { route, type Transport } from '../transport/transport.js';
import type {
  ApprovalView,
  AwaitedApprovalView,
  BegunMcpLogin,
  ListedApprovalView,
} from '../server-types.js';
import type { Page } from './session-calls.js';

export interface ApprovalQuery extends Page {
  sessionId?: string;
  turnId?: string;
  /** Default: pending. */
  status?: 'pending' | 'all';
}

/** Questions that turns are parked on: `client.approvals`. The same answer may be sent again. */
export class ApprovalCalls {
  /** Questions of others that the caller may answer. */
  readonly awaited: AwaitedApprovalCalls;

  constructor(private readonly transport: Transport) {
    this.awaited = new AwaitedApprovalCalls(transport);
  }

  /** What the caller's own turns wait for. `awaits` says which other people decide, where a rule says so. */
  list(
    query: ApprovalQuery = {},
  ): Promise<{ approvals: ListedApprovalView[]; nextCursor?: string }> {
    return this.transport.json({ path: '/api/harness/approvals', query: { ...query } });
  }

  get(approvalId: string): Promise<ApprovalView> {
    return this.transport.field('approval', route`/api/harness/approvals/${approvalId}`);
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

  /**
   * Answers what a call asks (`kind: 'elicitation'`).
   *
   * @param content fits the schema in the approval's `question`; absent: the page of a link was opened, or the form's
   *   defaults are enough.
   */
  say(approvalId: string, content?: Readonly<Record<string, unknown>>): Promise<ApprovalView> {
    return this.#answer(approvalId, { decision: 'answer', content });
  }

  /** Closes what a call asks, without an answer. */
  dismiss(approvalId: string): Promise<ApprovalView> {
    return this.#answer(approvalId, { decision: 'cancel' });
  }

  /**
   * Begins the log-in at an MCP server that an approval of kind `mcp-authorize` asks for; the person opens its `url` in
   * a browser.
   *
   * @param redirect where the answer goes, for `client.mcpLogins.finish`. Absent: the server's own page takes it, from
   *   the browser that sent this.
   */
  authorize(approvalId: string, redirect?: string): Promise<BegunMcpLogin> {
    return this.transport.json({
      method: 'POST',
      path: route`/api/harness/approvals/${approvalId}/authorize`,
      body: redirect === undefined ? {} : { redirect },
    });
  }

  #answer(approvalId: string, body: Record<string, unknown>): Promise<ApprovalView> {
    return this.transport.field('approval', route`/api/harness/approvals/${approvalId}`, {
      method: 'POST',
      body,
    });
  }
}

/**
 * Questions of other people's turns, for those who decide by their roles: `client.approvals.awaited`. They have the
 * call, and nothing else of its session.
 */
export class AwaitedApprovalCalls {
  constructor(private readonly transport: Transport) {}

  /** The open ones that await an answer of the caller, in the order they were asked for. */
  list(page: Page = {}): Promise<{ approvals: AwaitedApprovalView[]; nextCursor?: string }> {
    return this.transport.json({ path: '/api/harness/awaited-approvals', query: { ...page } });
  }

  /** An open or a decided one, with the answers so far. */
  get(approvalId: string): Promise<AwaitedApprovalView> {
    return this.transport.field('approval', route`/api/harness/awaited-approvals/${approvalId}`);
  }

  /** Approves the call as it is. It runs once all the people have approved that it awaits. */
  approve(approvalId: string): Promise<AwaitedApprovalView> {
    return this.#answer(approvalId, { decision: 'approve' });
  }

  /** Denies the call for all. @param message for the model. */
  deny(approvalId: string, message?: string): Promise<AwaitedApprovalView> {
    return this.#answer(approvalId, { decision: 'deny', message });
  }

  #answer(approvalId: string, body: Record<string, unknown>): Promise<AwaitedApprovalView> {
    return this.transport.field('approval', route`/api/harness/awaited-approvals/${approvalId}`, {
      method: 'POST',
      body,
    });
  }
}
