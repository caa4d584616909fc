import { assertNever } from '../../platform/assert-never.js';
import type { PermissionDecision } from './decide-permission.js';

/** The answer of the operator's hook about a call. */
export type HookOutcome =
  | { type: 'answered'; decision: 'allow' | 'ask' | 'deny'; reason?: string }
  /** `reason` completes "the tool hook …". */
  | { type: 'failed'; reason: string };

export interface HookedCall {
  tool: string;
  /** Whether the call changes nothing, so that it may run where the hook cannot be asked. */
  isSafe: boolean;
  /** Whether an agent in the chain of delegation asks nobody. */
  asksNobody: boolean;
}

/**
 * The decision about a call, from that of the rules and the hook's: the stricter of the two. The hook allows
 * nothing that the rules do not. Pure.
 *
 * @param rules `allow` or `ask`: of a denied call the hook is not asked.
 */
export function applyHook(
  rules: PermissionDecision,
  hook: HookOutcome,
  { tool, isSafe, asksNobody }: HookedCall,
): PermissionDecision {
  if (hook.type === 'failed') {
    if (isSafe) return rules;
    const reason = `permission denied: the tool hook of this server ${hook.reason}, and without its word ${tool} does not run. Go on without it, or try again later.`;
    return { verdict: 'deny', rule: 'hook-failed', reason };
  }
  const why = hook.reason === undefined ? '' : `: ${hook.reason}`;
  switch (hook.decision) {
    case 'allow':
      return rules;
    case 'deny':
      return {
        verdict: 'deny',
        rule: 'hook-denied',
        reason: `permission denied: the tool hook of this server denies the call${why}`,
      };
    case 'ask':
      if (asksNobody) {
        const reason = `permission denied: the tool hook of this server asks before ${tool}, and mode dontAsk asks nobody${why}`;
        return { verdict: 'deny', rule: 'hook-asks-nobody', reason };
      }
      return {
        verdict: 'ask',
        rule: 'hook-asks',
        reason: `the tool hook asks before ${tool}${why}`,
      };
    default:
      return assertNever(hook.decision);
  }
}
