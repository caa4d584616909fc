import { Inject, Injectable } from '@nestjs/common';
import { isId } from '../../platform/ids.js';
import { invalidRequest } from '../../errors/typed-error.js';
import { parseLimit } from '../../http/page-request.js';
import { ApprovalAnswerer } from './approval-answerer.js';
import { ApprovalStore } from './approval-store.js';
import type { GivenAnswer } from './validate-answer.js';
import { viewApproval, type ApprovalView } from './view-approval.js';

/** Approvals as clients see and answer them. */
@Injectable()
export class ApprovalService {
  constructor(
    private readonly store: ApprovalStore,
    @Inject(ApprovalAnswerer) private readonly answerer: Pick<ApprovalAnswerer, 'answerOne'>,
  ) {}

  /** @throws TypedError APPROVAL_NOT_FOUND 404. */
  async get(approvalId: string): Promise<ApprovalView> {
    return viewApproval(await this.store.get(approvalId));
  }

  /** @throws TypedError: see `ApprovalAnswerer`. */
  async answer(approvalId: string, given: GivenAnswer, by: string): Promise<ApprovalView> {
    return viewApproval(await this.answerer.answerOne({ approvalId, given }, by));
  }

  /** @throws TypedError INVALID_REQUEST 400. */
  async list(
    principalId: string,
    query: Record<string, unknown>,
  ): Promise<{ approvals: ApprovalView[]; nextCursor?: string }> {
    const limit = parseLimit(query['limit']);
    const status = query['status'] ?? 'pending';
    if (status !== 'pending' && status !== 'all') {
      throw invalidRequest("Missing or invalid 'status': pending or all");
    }
    const found = await this.store.list({
      principalId,
      sessionId: parseId(query, 'sessionId', 'sess'),
      turnId: parseId(query, 'turnId', 'turn'),
      after: parseId(query, 'cursor', 'appr'),
      status,
      // The approval after the page shows whether there is a next page.
      limit: limit + 1,
    });
    const approvals = found.slice(0, limit).map(viewApproval);
    const last = found.length > limit ? approvals.at(-1)?.approvalId : undefined;
    return { approvals, ...(last === undefined ? {} : { nextCursor: last }) };
  }
}

function parseId(query: Record<string, unknown>, name: string, kind: string): string | undefined {
  const id = query[name];
  if (id === undefined || id === '') return undefined;
  if (typeof id !== 'string' || !isId(kind, id))
    throw invalidRequest(`Missing or invalid '${name}'`);
  return id;
}
