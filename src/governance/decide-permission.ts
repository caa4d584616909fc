import type { ToolEffect } from '../tools/tool.js';

export type Verdict = 'allow' | 'ask' | 'deny';

export interface PermissionQuestion {
  tool: { name: string; effect: ToolEffect };
  /**
   * `direct`, `acceptEdits`, `dontAsk` or `plan`. Clients may send any other string: it means what
   * `direct` means.
   */
  mode: string;
  /** The persona's `auto_approve_tools`. Names are compared exactly, here and below. */
  autoApprove: readonly string[];
  /** The persona's `disallowed_tools`. */
  disallowed: readonly string[];
  /** Whether the turn's own `opts.tools` names the tool; a default list does not count. */
  namedByTurn: boolean;
}

export interface PermissionDecision {
  verdict: Verdict;
  /** The name of the rule that decided. */
  rule: string;
  /** For the model and the client. A denial says "permission denied" and what would allow it. */
  reason: string;
}

interface PermissionRule {
  rule: string;
  /** For the table in the documentation. */
  when: string;
  verdict: Verdict;
  applies(question: PermissionQuestion): boolean;
  reason(question: PermissionQuestion): string;
}

/** In order, the first that applies decides. The last one always applies. */
const rules: readonly PermissionRule[] = [
  {
    rule: 'disallowed',
    when: "the persona's `disallowed_tools` lists the tool",
    verdict: 'deny',
    applies: isDisallowed,
    reason: ({ tool }) =>
      `permission denied: the persona disallows ${tool.name}. Take it off the persona's disallowed_tools to allow it.`,
  },
  {
    rule: 'command-not-named',
    when: "the tool runs commands and the turn's own `opts.tools` does not name it",
    verdict: 'deny',
    applies: isUnnamedCommand,
    reason: ({ tool }) =>
      `permission denied: ${tool.name} runs commands, so the turn itself must name it. List ${tool.name} in opts.tools.`,
  },
  {
    rule: 'plan-is-read-only',
    when: 'the mode is `plan` and the tool does more than read',
    verdict: 'deny',
    applies: ({ mode, tool }) => mode === 'plan' && tool.effect !== 'read',
    reason: ({ tool }) =>
      `permission denied: mode plan is read-only and ${tool.name} is not. Send the turn in another mode.`,
  },
  {
    rule: 'auto-approved',
    when: "the persona's `auto_approve_tools` lists the tool",
    verdict: 'allow',
    applies: ({ autoApprove, tool }) => autoApprove.includes(tool.name),
    reason: ({ tool }) => `the persona pre-approves ${tool.name}`,
  },
  {
    rule: 'reads-run',
    when: 'the tool only reads',
    verdict: 'allow',
    applies: ({ tool }) => tool.effect === 'read',
    reason: ({ tool }) => `${tool.name} only reads`,
  },
  {
    rule: 'edits-accepted',
    when: 'the mode is `acceptEdits` and the tool edits files',
    verdict: 'allow',
    applies: ({ mode, tool }) => mode === 'acceptEdits' && tool.effect === 'edit',
    reason: () => 'mode acceptEdits runs edits',
  },
  {
    rule: 'asks-nobody',
    when: 'the mode is `dontAsk`',
    verdict: 'deny',
    applies: ({ mode }) => mode === 'dontAsk',
    reason: ({ tool }) =>
      `permission denied: ${tool.name} is not pre-approved, and mode dontAsk asks nobody. ${howToAllow(tool)}`,
  },
  {
    rule: 'ask',
    when: 'otherwise',
    verdict: 'ask',
    applies: () => true,
    reason: ({ tool, mode }) => `${tool.name} needs an approval in mode ${mode}`,
  },
];

/** Whether a call may run, must be approved first, or is refused. */
export function decidePermission(question: PermissionQuestion): PermissionDecision {
  const decisive = rules.find((one) => one.applies(question));
  if (decisive === undefined) throw new Error('No permission rule applies');
  const { rule, verdict } = decisive;
  return { verdict, rule, reason: decisive.reason(question) };
}

/** The rules in the order they are tried, for the documentation. */
export function permissionTable(): { rule: string; when: string; verdict: Verdict }[] {
  return rules.map(({ rule, when, verdict }) => ({ rule, when, verdict }));
}

export function isDisallowed({
  tool,
  disallowed,
}: Pick<PermissionQuestion, 'tool' | 'disallowed'>): boolean {
  return disallowed.includes(tool.name);
}

export function isUnnamedCommand({
  tool,
  namedByTurn,
}: Pick<PermissionQuestion, 'tool' | 'namedByTurn'>): boolean {
  return tool.effect === 'command' && !namedByTurn;
}

/** What lets a tool run without a question. Only edits have a mode for that. */
export function howToAllow(tool: PermissionQuestion['tool']): string {
  const list = `ist ${tool.name} under auto_approve_tools in the persona.`;
  return tool.effect === 'edit' ? `Use mode acceptEdits, or l${list}` : `L${list}`;
}
