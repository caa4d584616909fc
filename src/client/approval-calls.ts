import type { Line } from './transport.js';
import type { ApprovalView } from './server-types.js';
import type { Page } from './session-calls.js';

export interface ApprovalQuery extends Page {
  sessionId?: string;
  turnId?: string;
  /** Default: those that are open. */
  status?: 'pending' | 'all';
}

/** What turns wait for: `client.approvals`. The same answer again is fine. */
export class ApprovalCalls {
  constructor(private readonly line: Line) {}

  list(query: ApprovalQuery = {}): Promise<{ approvals: ApprovalView[]; nextCursor?: string }> {
    return this.line.json({ path: '/api/harness/approvals', query: { ...query } });
  }

  async get(approvalId: string): Promise<ApprovalView> {
    const call = { path: pathOf(approvalId) };
    return (await this.line.json<{ approval: ApprovalView }>(call)).approval;
  }

  /** @param changes an input to run with, in place of what the model asked for. */
  approve(approvalId: string, changes: { input?: unknown } = {}): Promise<ApprovalView> {
    return this.#answer(approvalId, { decision: 'approve', ...changes });
  }

  /** And every such call of the session: this very one, or what `rule` says. */
  approveForSession(
    approvalId: string,
    changes: { input?: unknown; rule?: string } = {},
  ): Promise<ApprovalView> {
    return this.#answer(approvalId, { decision: 'approve-session', ...changes });
  }

  /** @param message what the model is told. */
  deny(approvalId: string, message?: string): Promise<ApprovalView> {
    return this.#answer(approvalId, { decision: 'deny', message });
  }

  /** The output of a tool of the client's: a text, or anything that JSON can say. */
  answer(
    approvalId: string,
    output: unknown,
    { isError = false }: { isError?: boolean } = {},
  ): Promise<ApprovalView> {
    return this.#answer(approvalId, { decision: 'answer', output, isError });
  }

  async #answer(approvalId: string, body: Record<string, unknown>): Promise<ApprovalView> {
    const call = { method: 'POST' as const, path: pathOf(approvalId), body };
    return (await this.line.json<{ approval: ApprovalView }>(call)).approval;
  }
}

function pathOf(approvalId: string): string {
  return `/api/harness/approvals/${encodeURIComponent(approvalId)}`;
}
