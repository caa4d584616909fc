import { decidePermission } from '../governance/permissions/decide-permission.js';
import { ruledBy } from './allowed-tools.js';
import type { QueryPlan } from './plan-query.js';
import type { PermissionMode } from './sdk-messages.js';
import { serverMode } from './server-mode.js';

export interface JudgedCall {
  /** The server's name of the tool. */
  name: string;
  input: unknown;
}

export interface Judgement {
  verdict: 'allow' | 'ask' | 'deny';
  /** For the model, of a denial. */
  reason: string;
  /** A rule asks, or denies: what allows calls does not answer it. */
  isByRule: boolean;
  /** The mode asks nobody, and so denies. */
  asksNobody: boolean;
}

/**
 * What the rules and the mode of a query say about a call, once hooks have seen it: deny, then ask, then the mode, then
 * allow. Pure.
 */
export function judgeCall(
  { name, input }: JudgedCall,
  {
    plan,
    mode,
    cwd,
  }: {
    plan: Pick<QueryPlan, 'ownRules' | 'tools'>;
    mode: PermissionMode;
    /** The folder of the session. */
    cwd: string;
  },
): Judgement {
  const judged = decidePermission({
    ...ruledBy(name, input, cwd),
    layers: [{ mode: serverMode(mode, false), named: [...plan.tools, name], agent: {} }],
    server: {},
    session: plan.ownRules,
    grants: [],
  });
  const isByRule = ['denied', 'asked-by-rule', 'may-be-denied'].includes(judged.rule);
  const asksNobody = judged.rule === 'asks-nobody';
  const isBypassed = mode === 'bypassPermissions' && judged.verdict === 'ask' && !isByRule;
  const verdict = isBypassed ? 'allow' : judged.verdict;
  return { verdict, reason: judged.reason, isByRule, asksNobody };
}

/**
 * Whether the server asks what the query's own rules answer: it asks for the hooks alone, or as its mode is an earlier one.
 * Whatever else makes it ask, such as a rule of the operator, is a question to the program.
 */
export function isAskedForHooks(
  { name, reason }: { name: string; reason: string },
  hookAsks: readonly string[],
): boolean {
  return (
    hookAsks.some((rule) => reason === `the session asks before ${rule}`) ||
    reason.startsWith(`${name} needs an approval in mode `)
  );
}
