import type { PermissionQuestion } from '../../governance/permissions/decide-permission.js';
import type { OpenedRoot } from '../../session/project-roots.js';
import type { HookVerdict } from '../../tools/tool-hook.js';
import type { ToldSkill } from '../../storage/shapes/sent-request.js';

/** The rules for the calls of a turn. */
export interface CallRules {
  permissions: TurnPermissions;
  /** Skills that the turn can load: those that it has loaded may narrow its calls. */
  skills: readonly ToldSkill[];
  approvals: ApprovalRules;
  /** Answers of the operator's hook in this attempt, by call and input. */
  hookAnswers: Map<string, Promise<HookVerdict>>;
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
