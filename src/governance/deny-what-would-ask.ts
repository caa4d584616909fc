import {
  howToAllow,
  type PermissionDecision,
  type PermissionQuestion,
} from './decide-permission.js';

/** While nobody can approve a call, what would ask is denied, and the reason says so. */
export function denyWhatWouldAsk(
  decision: PermissionDecision,
  { tool, mode }: Pick<PermissionQuestion, 'tool' | 'mode'>,
): PermissionDecision {
  if (decision.verdict !== 'ask') return decision;
  return {
    verdict: 'deny',
    rule: decision.rule,
    reason: `permission denied: ${tool.name} needs an approval in mode ${mode}, and approvals are not available yet. ${howToAllow(tool)}`,
  };
}
