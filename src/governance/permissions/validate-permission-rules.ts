import { isPlainObject } from '../../platform/json.js';
import type { RuleTool } from '../permission-subject.js';
import { ruleFault } from './check-rule.js';
import { cutText } from '../../platform/cut-text.js';
import type { PermissionRules } from '../../storage/shapes/stored-permissions.js';

export const ruleLists = ['allow', 'ask', 'deny'] as const;

const mostRules = 100;
/** Most characters of a rule. */
const longestRule = 500;

/** A fault and its field, such as `deny.2`; an empty field means the whole. */
export interface RulesFault {
  field: string;
  message: string;
}

/**
 * Validates the rules of a request, a file or the environment.
 *
 * @param tools undefined: the rules' tool names are not checked.
 * @returns the rules, empty where there is a fault, and all faults.
 */
export function validatePermissionRules(
  given: unknown,
  tools: readonly RuleTool[] | undefined,
): { rules: PermissionRules; faults: RulesFault[] } {
  const example = '{"allow": ["bash(git status*)"], "ask": ["write(docs/**)"], "deny": ["grep"]}';
  if (!isPlainObject(given)) {
    const message = `must be a map of allow, ask and deny, for example ${example}`;
    return { rules: {}, faults: [{ field: '', message }] };
  }
  const known: readonly string[] = ruleLists;
  const faults: RulesFault[] = Object.keys(given)
    .filter((key) => !known.includes(key))
    .map((key) => ({ field: cutText(key, 60), message: `is not a list; use ${known.join(', ')}` }));
  const lists = ruleLists.flatMap((list) => {
    const rules = given[list] ?? undefined;
    if (rules === undefined) return [];
    faults.push(...listFaults(list, rules, tools));
    return [[list, rules] as const];
  });
  const count = lists.reduce(
    (sum, [, rules]) => sum + (Array.isArray(rules) ? rules.length : 0),
    0,
  );
  if (count > mostRules) {
    faults.push({ field: '', message: `has ${count} rules; at most ${mostRules} are allowed` });
  }
  return { rules: faults.length > 0 ? {} : (Object.fromEntries(lists) as PermissionRules), faults };
}

function listFaults(
  list: string,
  rules: unknown,
  tools: readonly RuleTool[] | undefined,
): RulesFault[] {
  if (!Array.isArray(rules)) {
    return [{ field: list, message: 'must be a list of rules, for example ["read"]' }];
  }
  return rules.slice(0, mostRules).flatMap((rule: unknown, index) => {
    const message = faultOf(rule, tools);
    return message === undefined ? [] : [{ field: `${list}.${index}`, message }];
  });
}

function faultOf(rule: unknown, tools: readonly RuleTool[] | undefined): string | undefined {
  if (typeof rule !== 'string') {
    return `must be text, for example "bash(git status*)", not ${cutText(JSON.stringify(rule), 60)}`;
  }
  if (rule.length > longestRule) return `must have at most ${longestRule} characters`;
  if (rule.includes('\0')) return 'must not have the character NUL';
  const fault = ruleFault(rule, tools);
  return fault && `${fault}; it is ${JSON.stringify(cutText(rule, 100))}`;
}
