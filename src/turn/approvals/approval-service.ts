import { isId } from '../../platform/ids.js';
import { invalidRequest } from '../../errors/typed-error.js';
import { readLimit } from '../../http/page-request.js';
import type { TurnServices } from '../state/turn-services.js';
import { answerApproval } from './answer-approval.js';
import { ApprovalStore } from './approval-store.js';
import type { GivenAnswer } from './read-answer.js';
import { viewApproval, type ApprovalView } from './view-approval.js';

/** Approvals as clients see and answer them. */
export class ApprovalService {
  readonly #store: ApprovalStore;

  constructor(private readonly services: TurnServices) {
    this.#store = new ApprovalStore(services.db);
  }

  /** @throws TypedError APPROVAL_NOT_FOUND 404. */
  async get(approvalId: string): Promise<ApprovalView> {
    return viewApproval(await this.#store.get(approvalId));
  }

  /** @throws TypedError: see `answerApproval`. */
  async answer(approvalId: string, given: GivenAnswer, by: string): Promise<ApprovalView> {
    return viewApproval(await answerApproval(this.services, { approvalId, given, by }));
  }

  /** @throws TypedError INVALID_REQUEST 400. */
  async list(
    principalId: string,
    query: Record<string, unknown>,
  ): Promise<{ approvals: ApprovalView[]; nextCursor?: string }> {
    const limit = readLimit(query['limit']);
    const status = query['status'] ?? 'pending';
    if (status !== 'pending' && status !== 'all') {
      throw invalidRequest("Missing or invalid 'status': pending or all");
    }
    const found = await this.#store.list({
      principalId,
      sessionId: readId(query, 'sessionId', 'sess'),
      turnId: readId(query, 'turnId', 'turn'),
      after: readId(query, 'cursor', 'appr'),
      status,
      // One more: whether another page follows.
      limit: limit + 1,
    });
    const approvals = found.slice(0, limit).map(viewApproval);
    const last = found.length > limit ? approvals.at(-1)?.approvalId : undefined;
    return { approvals, ...(last === undefined ? {} : { nextCursor: last }) };
  }
}

function readId(query: Record<string, unknown>, name: string, kind: string): string | undefined {
  const id = query[name];
  if (id === undefined || id === '') return undefined;
  if (typeof id !== 'string' || !isId(kind, id))
    throw invalidRequest(`Missing or invalid '${name}'`);
  return id;
}
