import type { Transport } from '../transport/transport.js';
import type { ApprovalView, ListedApprovalView } from '../server-types.js';
import type { Page } from './session-calls.js';

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
    const call = { path: pathOf(approvalId) };
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
    const call = { method: 'POST' as const, path: pathOf(approvalId), body };
    return (await this.transport.json<{ approval: ApprovalView }>(call)).approval;
  }
}

function pathOf(approvalId: string): string {
  return `/api/harness/approvals/${encodeURIComponent(approvalId)}`;
}
