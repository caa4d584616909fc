import type {
  NarrowingSkill,
  PermissionRules,
  Quorum,
} from '../../storage/shapes/stored-options.js';
import { assertNever } from '../../platform/assert-never.js';
import { compact } from '../../platform/compact.js';
import {
  findCover,
  findHidden,
  findTouched,
  isAbout,
  ruledCall,
  type RuledCall,
} from './match-rule.js';
import { denyingNames, type AgentLayer, type PermissionQuestion } from './offer-tools.js';
import { approverRulesOf, askText, describeQuorum, distinctQuorums } from './approver-rules.js';

export type Verdict = 'allow' | 'ask' | 'deny';

export interface PermissionDecision {
  verdict: Verdict;
  /** The name of the decisive rule. */
  rule: string;
  /**
   * Reason for the model and the client. A denial says "permission denied" and how to allow the
   * call.
   */
  reason: string;
  /** With `ask`: who decides, by each rule that says so; all of them must agree. Absent: the requester. */
  awaits?: readonly Quorum[];
}

/** The question for one agent in the chain of delegation. */
interface LayerQuestion {
  tool: PermissionQuestion['tool'];
  call: RuledCall;
  mode: string;
  named: readonly string[];
  sources: readonly { whose: string; rules: PermissionRules }[];
  grants: readonly string[];
  narrowing: readonly NarrowingSkill[];
}

interface DecisionRule {
  rule: string;
  /** Condition in the documentation's table. */
  when: string;
  verdict: Verdict;
  /** The reason of the decision; undefined when the rule does not apply. */
  reason(question: LayerQuestion): string | undefined;
}

/** Rules in order: the first that applies decides. */
const decisionRules: readonly DecisionRule[] = [
  {
    rule: 'denied',
    when: 'a `deny` rule of the server, the agent or the session matches; one for `read` holds for `grep` too',
    verdict: 'deny',
    reason: (question) => touchedRule(question, 'deny', 'denies'),
  },
  {
    rule: 'outside-of-skill',
    when: 'a skill that the turn has loaded lists `allowed-tools`, and none of them covers the call; the tools of skills themselves are free',
    verdict: 'deny',
    reason: ({ narrowing, call }) => {
      const skill = narrowing.find(({ allowed }) => findCover(allowed, call) === undefined);
      return (
        skill &&
        `the skill ${skill.name}, which this turn has loaded, allows ${skill.allowed.join(', ')} until the turn ends. Go on within these tools, or in another turn`
      );
    },
  },
  {
    rule: 'command-not-named',
    when: "the tool runs commands, the turn's own `opts.tools` does not name it, and no `allow` rule covers the call",
    verdict: 'deny',
    reason: (question) =>
      question.tool.effect !== 'command' ||
      question.named.includes(question.tool.name) ||
      allowRule(question) !== undefined
        ? undefined
        : `${question.tool.name} runs commands, so the turn itself must name it, or a rule allow this call. List ${question.tool.name} in opts.tools`,
  },
  {
    rule: 'plan-is-read-only',
    when: 'the mode is `plan` and the tool does more than read',
    verdict: 'deny',
    reason: ({ mode, tool }) =>
      mode === 'plan' && tool.effect !== 'read'
        ? `mode plan is read-only and ${tool.name} is not. Send the turn in another mode`
        : undefined,
  },
  {
    rule: 'asked-of-approvers',
    when: 'an `ask` rule that names who decides matches; a command whose text hides what it runs matches if it could',
    verdict: 'ask',
    reason: (question) => {
      const [first] = approversOf(question);
      return first && `${first.whose} leaves ${first.rule} to ${describeQuorum(first)}`;
    },
  },
  {
    rule: 'approved-for-session',
    when: 'a person approved such calls for the session',
    verdict: 'allow',
    reason: ({ grants, call }) => {
      const cover = findCover(grants, call);
      return cover && `a person approved ${cover.join(', ')} for the session`;
    },
  },
  {
    rule: 'asked-by-rule',
    when: 'an `ask` rule of the server, the agent or the session matches',
    verdict: 'ask',
    reason: (question) => touchedRule(question, 'ask', 'asks before'),
  },
  {
    rule: 'may-be-denied',
    when: 'the text of a command hides what it runs, and a `deny` or `ask` rule could match that',
    verdict: 'ask',
    reason: (question) => {
      const rule = hiddenRule(question);
      return rule && `what the command runs cannot be read from it, and ${rule} may be about it`;
    },
  },
  {
    rule: 'allowed',
    when: '`allow` rules of the server, the agent or the session cover the call',
    verdict: 'allow',
    reason: allowRule,
  },
  {
    rule: 'reads-run',
    when: 'the tool only reads',
    verdict: 'allow',
    reason: ({ tool }) => (tool.effect === 'read' ? `${tool.name} only reads` : undefined),
  },
  {
    rule: 'edits-accepted',
    when: 'the mode is `acceptEdits` and the tool edits files',
    verdict: 'allow',
    reason: ({ mode, tool }) =>
      mode === 'acceptEdits' && tool.effect === 'edit' ? 'mode acceptEdits runs edits' : undefined,
  },
  {
    rule: 'ask',
    when: 'otherwise',
    verdict: 'ask',
    reason: (question) =>
      `${question.tool.name} needs an approval in mode ${question.mode}${besideFiles(question)}`,
  },
];

const asksNobody = {
  rule: 'asks-nobody',
  when: 'the answer would be `ask` and the mode is `dontAsk`',
  verdict: 'deny',
} as const;

/**
 * Decides whether a call is allowed, asked about or denied. Each agent in the chain of delegation
 * is judged, and the strictest verdict counts.
 */
export function decidePermission(question: PermissionQuestion): PermissionDecision {
  const call = ruledCall(question.tool.name, question.argument);
  const questions = question.layers.map((layer, index): LayerQuestion => ({
    tool: question.tool,
    call,
    mode: layer.mode,
    named: layer.named,
    sources: [
      { whose: "the server's policy", rules: question.server },
      { whose: agentOf(question.layers, index), rules: layer.agent },
      { whose: 'the session', rules: question.session },
    ],
    grants: question.grants,
    narrowing: layer.narrowing ?? [],
  }));
  const decisions = questions.map(decideLayer);
  const strictest = (['deny', 'ask', 'allow'] as const).map((verdict) =>
    decisions.find((decision) => decision.verdict === verdict),
  );
  const decision = strictest.find((one) => one !== undefined);
  if (decision === undefined) throw new Error('A permission was asked for no agent');
  const quorums = decision.verdict === 'ask' ? questions.flatMap(approversOf) : [];
  return quorums.length === 0 ? decision : { ...decision, awaits: distinctQuorums(quorums) };
}

/** The rules about a call that say who decides, with whose they are. */
function approversOf({ sources, call }: LayerQuestion) {
  return sources.flatMap(({ whose, rules }) =>
    approverRulesOf(rules).flatMap((one) => {
      const touched = findTouched([one.rule], call) ?? findHidden([one.rule], call);
      return touched === undefined ? [] : [{ ...one, whose }];
    }),
  );
}

/** The rules in their order, for the documentation. */
export function permissionTable(): { rule: string; when: string; verdict: Verdict }[] {
  return [...decisionRules, asksNobody].map(({ rule, when, verdict }) => ({ rule, when, verdict }));
}

/** Advice that allows a tool's calls without a question. Edits alone have a mode for that. */
function howToAllow({ name, effect }: PermissionQuestion['tool']): string {
  const list = `llow ${name} in the permissions of the agent, the session or the server.`;
  return effect === 'edit' ? `Use mode acceptEdits, or a${list}` : `A${list}`;
}

function decideLayer(question: LayerQuestion): PermissionDecision {
  for (const { rule, verdict, reason: reasonOf } of decisionRules) {
    const reason = reasonOf(question);
    if (reason === undefined) continue;
    if (verdict === 'deny') return { verdict, rule, reason: `permission denied: ${reason}.` };
    if (verdict === 'allow' || question.mode !== 'dontAsk') return { verdict, rule, reason };
    return { verdict: 'deny', rule: asksNobody.rule, reason: nobodyAsked(question, rule, reason) };
  }
  throw new Error('No permission rule applies');
}

function nobodyAsked({ tool }: LayerQuestion, rule: string, reason: string): string {
  const [why, advice] = whyAsked(tool, rule, reason);
  return `permission denied: ${why}, and mode dontAsk asks nobody. ${advice}`;
}

function whyAsked(
  tool: PermissionQuestion['tool'],
  rule: string,
  reason: string,
): [string, string] {
  switch (rule) {
    case 'asked-by-rule':
    case 'asked-of-approvers':
      return [reason, 'Send the turn in another mode.'];
    case 'may-be-denied':
      return [reason, 'Write out the programs and arguments, each command by itself.'];
    default:
      return [`${tool.name} is not pre-approved`, howToAllow(tool)];
  }
}

/** Names a rule that denies a file to the tools that take its path: commands do not. */
function besideFiles({ tool: { effect }, sources }: LayerQuestion): string {
  const denied = effect === 'command' ? sources.flatMap(({ rules }) => rules.deny ?? []) : [];
  const fileTools = ['read', 'write', 'edit'];
  const free = denied.find((rule) => fileTools.some((tool) => isAbout(rule, tool)));
  return free === undefined ? '' : `; the rule ${free} does not hold for commands`;
}

function hiddenRule({ sources, call }: LayerQuestion): string | undefined {
  const rules = sources.flatMap(({ rules: { deny = [], ask = [] } }) => [
    ...deny,
    ...ask.map(askText),
  ]);
  return findHidden(rules, call);
}

function touchedRule(
  { sources, call, tool }: LayerQuestion,
  list: 'ask' | 'deny',
  does: string,
): string | undefined {
  const names = list === 'deny' ? denyingNames(tool) : [tool.name];
  for (const { whose, rules } of sources) {
    for (const name of names) {
      const rule = findTouched((rules[list] ?? []).map(askText), { ...call, tool: name });
      if (rule !== undefined) return `${whose} ${does} ${rule}`;
    }
  }
  return undefined;
}

function allowRule({ sources, grants, call }: LayerQuestion): string | undefined {
  const lists = [...sources.flatMap(({ rules }) => rules.allow ?? []), ...grants];
  const cover = findCover(lists, call);
  if (cover === undefined) return undefined;
  const whose = sources
    .filter(({ rules }) => cover.some((rule) => rules.allow?.includes(rule)))
    .map((source) => source.whose);
  return `${whose.join(' and ') || 'the session'} allows ${cover.join(', ')}`;
}

function agentOf(layers: readonly AgentLayer[], index: number): string {
  const { name } = layers[index] ?? {};
  if (name !== undefined) return `the agent ${name}`;
  return index === layers.length - 1 ? 'the agent' : 'an agent above this one';
}

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
        ...compact({ awaits: rules.awaits }),
      };
    default:
      return assertNever(hook.decision);
  }
}
