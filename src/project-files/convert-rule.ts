import { ruleFault } from '../governance/permissions/permission-rules.js';
import { convertPath, type RulePlace } from './convert-path.js';
import type { Verdict } from './finding.js';
import { toolsOf, whyMissing } from '../agents/claude-tools.js';

export type RuleList = 'allow' | 'ask' | 'deny';

/** A rule of Claude Code as rules of ours. */
export interface ConvertedRule {
  /** None: the rule does nothing here. */
  rules: readonly string[];
  verdict: Verdict;
  /** What it becomes, or why it does nothing. */
  how: string;
}

/** The tools that a rule with a path governs there, whichever of them it names. */
const governed: Readonly<Record<string, { allow: readonly string[]; other: readonly string[] }>> = {
  Read: { allow: ['read', 'grep', 'glob'], other: ['read', 'grep', 'glob', 'edit', 'write'] },
  Glob: { allow: ['glob'], other: ['glob'] },
  Grep: { allow: ['grep'], other: ['grep'] },
  Edit: { allow: ['edit', 'write'], other: ['edit', 'write'] },
  MultiEdit: { allow: ['edit', 'write'], other: ['edit', 'write'] },
};

/**
 * Converts a rule of Claude Code's settings, `allowedTools` or `disallowedTools`, with the anchors of its paths. A rule that
 * denies or asks never becomes weaker: where no pattern is sure to match as much, it is about the whole tool. A rule
 * that allows never becomes stronger. Pure.
 */
export function convertRule(given: string, list: RuleList, place: RulePlace): ConvertedRule {
  const text = given.trim();
  const [, tool, pattern] = /^([\w*-]+)(?:\(([\s\S]*)\))?$/.exec(text) ?? [];
  if (tool === undefined) return refused(`${quoted(text)} is no rule: write Tool or Tool(pattern)`);
  const found =
    pattern === undefined ? wholeTool(tool, list) : someCalls(tool, pattern, list, place);
  const [fault] = found.rules.flatMap((rule) => ruleFault(rule) ?? []);
  if (fault === undefined) return found;
  return list === 'allow'
    ? refused(`it cannot be converted: ${fault}`)
    : wholly(tool, 'deny', fault);
}

const refused = (how: string): ConvertedRule => ({ rules: [], verdict: 'refused', how });
const quoted = (text: string): string => JSON.stringify(text);

function became(
  given: string,
  rules: readonly string[],
  verdict: Verdict = 'mapped',
): ConvertedRule {
  const isSame = rules.length === 1 && rules[0] === given;
  return { rules, verdict: isSame ? 'same' : verdict, how: rules.join(', ') };
}

function wholeTool(tool: string, list: RuleList): ConvertedRule {
  if (tool === '*') {
    return list === 'allow'
      ? refused('a rule that allows every tool is not taken: name the tools')
      : became(tool, ['*']);
  }
  if (tool.startsWith('mcp__')) {
    const [, server, name] = tool.split('__');
    const isServer = server !== undefined && name === undefined && !server.includes('*');
    return became(tool, [isServer ? `${tool}__*` : tool]);
  }
  const rules = toolsOf(tool);
  if (rules.length > 0) return became(tool, rules);
  return list === 'allow'
    ? refused(whyMissing(tool))
    : { rules: [], verdict: 'same', how: `nothing is to be held back: ${whyMissing(tool)}` };
}

function someCalls(tool: string, given: string, list: RuleList, place: RulePlace): ConvertedRule {
  const pattern = given.trim();
  if (pattern === '' || pattern === '*') return wholeTool(tool, list);
  switch (tool) {
    case 'Bash':
      return became(`Bash(${given})`, [`bash(${commandPattern(pattern)})`]);
    case 'Read':
    case 'Glob':
    case 'Grep':
    case 'Edit':
    case 'MultiEdit':
      return paths(tool, pattern, list, place);
    case 'Write':
    case 'NotebookEdit':
      return ofWrite(pattern, list, place);
    case 'Agent':
    case 'Task':
      return named('task', tool, pattern, list);
    case 'Skill':
      return named('load_skill', tool, pattern.replace(/(?::| )\*$/, ''), list);
    case 'WebFetch':
      return list === 'allow'
        ? refused(
            'which pages are fetched is the operator’s choice, for all sessions (TURNPIKE_SERVER_TOOLS)',
          )
        : wholly(
            tool,
            list,
            'no rule can be about one host, because the provider fetches the pages',
          );
    default:
      return unknownCalls(tool, pattern, list);
  }
}

/** `ls:*` is the older form of `ls *`. */
function commandPattern(pattern: string): string {
  return pattern.replace(/:\*$/, ' *');
}

function paths(tool: string, pattern: string, list: RuleList, place: RulePlace): ConvertedRule {
  const { allow = [], other = [] } = governed[tool] ?? {};
  const isWide = list !== 'allow';
  const patterns = convertPath(pattern, place, isWide);
  if (patterns === undefined) {
    const why = `no path pattern here is sure to match the same as ${quoted(pattern)}`;
    return isWide
      ? wholly(tool, list, why)
      : refused(`${why}: write it without […], {…}, ! and ~user`);
  }
  const tools = isWide ? other : allow;
  return became(
    `${tool}(${pattern})`,
    tools.flatMap((one) => patterns.map((path) => `${one}(${path})`)),
  );
}

/** There, a rule about the paths of `Write` has no effect. What it was meant to hold back is held back here. */
function ofWrite(pattern: string, list: RuleList, place: RulePlace): ConvertedRule {
  if (list === 'allow') {
    const how = `it allows nothing, here as there: write Edit(${pattern}), which is about all that writes`;
    return { rules: [], verdict: 'same', how };
  }
  const { rules } = paths('Edit', pattern, list, place);
  const how = `there it has no effect; here it is taken as Edit(${pattern}): ${rules.join(', ')}`;
  return { rules, verdict: 'differs', how };
}

function named(ours: string, tool: string, name: string, list: RuleList): ConvertedRule {
  if (!/^[\w:.-]+$/.test(name)) return unknownCalls(tool, name, list);
  return became(`${tool}(${name})`, [`${ours}(${name})`]);
}

/** A rule about a parameter, or about something else that is not known here. */
function unknownCalls(tool: string, pattern: string, list: RuleList): ConvertedRule {
  const why = `rules about ${quoted(pattern)} of ${tool} are not known here`;
  return list === 'allow' ? refused(why) : wholly(tool, list, why);
}

/** A rule that holds back every call of the tool, as fewer cannot be told from the others. */
function wholly(tool: string, list: RuleList, why: string): ConvertedRule {
  const rules = governed[tool]?.other ?? wholeTool(tool, list).rules;
  if (rules.length === 0) return wholeTool(tool, list);
  return {
    rules,
    verdict: 'differs',
    how: `${why}, so it is about every call: ${rules.join(', ')}`,
  };
}
