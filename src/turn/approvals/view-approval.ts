import { compact } from '../../platform/compact.js';
import { sessionTitle } from '../../session/session-title.js';
import type { ApprovalRow } from './approval-writes.js';

/** The session of an approval, as lists show it. */
export interface ApprovalSession {
  /** As in lists of sessions. */
  title?: string;
  projectRoot: string;
  persona: string;
}

/** An approval with the facts of its session that lists show. */
export interface ListedApproval extends ApprovalRow {
  session: {
    title: string | null;
    firstRequest: string | null;
    projectRoot: string;
    persona: string;
  };
}

/** An approval as clients see it. Times are ISO-8601. */
export function viewApproval(approval: ApprovalRow) {
  const { decision, decidedBy: by, message, editedInput } = approval;
  return {
    approvalId: approval.id,
    turnId: approval.turnId,
    sessionId: approval.sessionId,
    toolUseId: approval.callId,
    kind: approval.kind,
    name: approval.name,
    input: approval.input,
    reason: approval.reason,
    status: decision === null ? ('pending' as const) : ('resolved' as const),
    onTimeout: approval.onTimeout,
    createdAt: approval.createdAt.toISOString(),
    expiresAt: approval.expiresAt.toISOString(),
    ...(decision === null
      ? {}
      : { decision, by, message, editedInput, decidedAt: approval.decidedAt?.toISOString() }),
  };
}

export type ApprovalView = ReturnType<typeof viewApproval>;

export function viewListedApproval({
  session: { title, firstRequest, projectRoot, persona },
  ...approval
}: ListedApproval): ApprovalView & { session: ApprovalSession } {
  const shown = title ?? sessionTitle(firstRequest);
  return {
    ...viewApproval(approval),
    session: { ...compact({ title: shown }), projectRoot, persona },
  };
}

export type ListedApprovalView = ReturnType<typeof viewListedApproval>;
