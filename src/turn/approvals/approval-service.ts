import { Injectable } from '@nestjs/common';
import { ApprovalAnswerer } from './approval-answerer.js';
import type { ApprovalQueryDto } from './approval-query.dto.js';
import { ApprovalStore } from './approval-store.js';
import type { GivenAnswer } from './validate-answer.js';
import {
  viewApproval,
  viewListedApproval,
  type ApprovalView,
  type ListedApprovalView,
} from './view-approval.js';

/** Approvals as clients see and answer them. */
@Injectable()
export class ApprovalService {
  constructor(
    private readonly store: ApprovalStore,
    private readonly answerer: ApprovalAnswerer,
  ) {}

  /** @throws TypedError APPROVAL_NOT_FOUND 404. */
  async get(approvalId: string): Promise<ApprovalView> {
    return viewApproval(await this.store.get(approvalId));
  }

  /** @throws TypedError: see `ApprovalAnswerer`. */
  async answer(approvalId: string, given: GivenAnswer, by: string): Promise<ApprovalView> {
    return viewApproval(await this.answerer.answerOne({ approvalId, given }, by));
  }

  /** A page of a principal's approvals, in the order they were asked for. */
  async list(
    principalId: string,
    { sessionId, turnId, status, cursor: after, limit }: ApprovalQueryDto,
  ): Promise<{ approvals: ListedApprovalView[]; nextCursor?: string }> {
    // The approval after the page shows whether there is a next page.
    const asked = { principalId, sessionId, turnId, after, status, limit: limit + 1 };
    const found = await this.store.list(asked);
    const approvals = found.slice(0, limit).map(viewListedApproval);
    const last = found.length > limit ? approvals.at(-1)?.approvalId : undefined;
    return { approvals, ...(last === undefined ? {} : { nextCursor: last }) };
  }
}
