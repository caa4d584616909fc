import * as z from 'zod/mini';
import { ruleFault } from '../governance/permissions/check-rule.js';
import { checkedBy, filledText, parsedBy } from '../parsing/shapes.js';

const LONGEST_DESCRIPTION = 1_024;
const LONGEST_COMPATIBILITY = 500;

/** Whether a name is one that the specification of skills takes. */
export function isSkillName(name: string): boolean {
  return name.length <= 64 && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name);
}

const text = (most: number) =>
  filledText().check(z.maxLength(most, `must have ${most} characters at most`));

/** Names of other products for tools of ours; a name that is not here stays as it is. */
const toolNames = new Map([
  ['Read', 'read'],
  ['Write', 'write'],
  ['Edit', 'edit'],
  ['MultiEdit', 'edit'],
  ['Bash', 'bash'],
  ['Glob', 'glob'],
  ['Grep', 'grep'],
  ['TodoWrite', 'todo_write'],
  ['Task', 'task'],
  ['WebSearch', 'web_search'],
  ['WebFetch', 'web_fetch'],
]);

const allowedTools = z.pipe(
  parsedBy(
    (given) => splitRules(given),
    'must be rules separated by blanks, or a list of them, for example read bash(git *)',
  ),
  z.array(
    z.string().check(checkedBy((rule) => (typeof rule === 'string' ? ruleFault(rule) : undefined))),
  ),
);

const metadata = z.record(
  z.string(),
  parsedBy(
    (given) => (['string', 'number', 'boolean'].includes(typeof given) ? String(given) : undefined),
    'must be text',
  ),
);

/** The front matter of a SKILL.md, as https://agentskills.io/specification has it. Other fields are for others. */
export const skillShape = z.object({
  name: filledText().check(
    checkedBy((name) =>
      isSkillName(name)
        ? undefined
        : 'must be 1 to 64 of a-z, 0-9 and -, with no - at an end or beside another',
    ),
  ),
  description: text(LONGEST_DESCRIPTION),
  license: z.exactOptional(filledText()),
  compatibility: z.exactOptional(text(LONGEST_COMPATIBILITY)),
  metadata: z.exactOptional(metadata),
  'allowed-tools': z.exactOptional(allowedTools),
});

/** The rules of `allowed-tools` in our words: `Bash(git:*) Read` is `bash(git *)` and `read`. */
function splitRules(given: unknown): string[] | undefined {
  const entries = typeof given === 'string' ? given.split(/[\s,]+(?![^(]*\))/) : given;
  if (!Array.isArray(entries) || !entries.every((entry) => typeof entry === 'string')) {
    return undefined;
  }
  const rules = entries.map((entry) => entry.trim()).filter((entry) => entry !== '');
  return [...new Set(rules.map(toRule))];
}

function toRule(entry: string): string {
  const [, tool = entry, pattern] = /^([^()]+)(?:\(([\s\S]*)\))?$/.exec(entry) ?? [];
  const name = toolNames.get(tool) ?? tool;
  if (pattern === undefined) return name === tool ? entry : name;
  return `${name}(${name === 'bash' ? pattern.replace(/:\*$/, ' *') : pattern})`;
}
