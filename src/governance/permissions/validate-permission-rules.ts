import * as z from 'zod/mini';
import { parseValue, type Parsed } from '../../parsing/parse-value.js';
import { fieldsOf } from '../../parsing/shapes.js';
import type { Fault } from '../../parsing/word-issue.js';
import { isPlainObject } from '../../platform/json.js';
import type { PermissionRules } from '../../storage/shapes/stored-options.js';
import type { RuleTool } from '../permission-subject.js';
import { ruleFault } from './check-rule.js';

export const ruleLists = ['allow', 'ask', 'deny'] as const;

const mostRules = 100;
const longestRule = 500;

const rules = z.exactOptional(
  z.array(
    z.string('must be text, for example "bash(git status*)"').check(
      z.maxLength(longestRule, `must have at most ${longestRule} characters`),
      z.refine((rule) => !rule.includes('\0'), 'must not have the character NUL'),
    ),
    'must be a list of rules, for example ["read"]',
  ),
);

const rulesShape = fieldsOf(
  { allow: rules, ask: rules, deny: rules },
  'must be a map of allow, ask and deny, for example {"allow": ["bash(git status*)"], "ask": ["write(docs/**)"], "deny": ["grep"]}',
);

/**
 * Validates the rules of a request, a file or the environment.
 *
 * @param tools undefined: the rules' tool names are not checked.
 */
export function validatePermissionRules(
  given: unknown,
  tools: readonly RuleTool[] | undefined,
): Parsed<PermissionRules> {
  const lists = isPlainObject(given) ? ruleLists.map((list) => [list, given[list]] as const) : [];
  const items = lists.flatMap(([list, listed]) =>
    Array.isArray(listed)
      ? listed.map((rule: unknown, index) => ({ rule, path: [list, index] }))
      : [],
  );
  if (items.length > mostRules) {
    const message = `has ${items.length} rules; at most ${mostRules} are allowed`;
    return { faults: [{ path: [], message }] };
  }
  const parsed = parseValue(rulesShape, given);
  const wrong = items.flatMap(({ rule, path }): Fault[] => {
    const message = typeof rule === 'string' ? ruleFault(rule, tools) : undefined;
    return message === undefined ? [] : [{ path, message }];
  });
  const faults = [...(parsed.faults ?? []), ...wrong];
  return faults.length === 0 ? parsed : { faults };
}
