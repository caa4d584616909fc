import type { PermissionQuestion } from '../../governance/permissions/decide-permission.js';
import type { OpenedRoot } from '../../session/project-roots.js';

/** The rules for the calls of a turn. */
export interface CallRules {
  permissions: TurnPermissions;
  approvals: ApprovalRules;
}

export interface TurnPermissions extends Omit<PermissionQuestion, 'tool' | 'argument'> {
  root: OpenedRoot;
}

export interface ApprovalRules {
  /** Time that an approval may go without an answer, in ms. */
  timeoutMs: number;
  /** The decision without an answer in that time. */
  onTimeout: 'approve' | 'deny';
  /** Treatment of a call that may have had its effect, and whose process died. */
  unknownCalls: 'tell' | 'ask';
}
