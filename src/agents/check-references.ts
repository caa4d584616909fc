import { isOpenName, patternFault } from '../governance/permissions/check-rule.js';
import { matchText } from '../governance/permissions/match-pattern.js';
import { parsePermissionRule } from '../governance/permissions/permission-rules.js';
import type { ArgumentKind } from '../tools/tool.js';
import { assertNever } from '../platform/assert-never.js';
import type { LineProblem } from './front-matter.js';
import { nearestName } from './nearest-name.js';
import { canonicalPersonaName, namesLike } from './persona-name.js';

type ReferenceKind = 'self' | 'tool' | 'rule' | 'tree' | 'agent';

/** A name in an agent's file of something outside it. */
export interface Reference {
  /** `self` is the agent's own name, `rule` a permission rule. */
  kind: ReferenceKind;
  /** Where it stands, as `permissions.deny`. */
  field: string;
  value: string;
  line: number;
}

/** What the server has. Names of a kind that is absent are not checked. */
export interface KnownNames {
  knownTools?: readonly string[];
  /** Of the tools that rules may have patterns for. */
  toolArguments?: Readonly<Record<string, ArgumentKind>>;
  knownTrees?: readonly string[];
}

export interface ReferenceContext extends KnownNames {
  /** The agent's own name, by its file. */
  name: string;
  /** The names of all agents. */
  agents: readonly string[];
}

/** Names the references that lead nowhere. */
export function checkReferences(
  references: readonly Reference[],
  surroundings: ReferenceContext,
): LineProblem[] {
  return references.flatMap((reference) => {
    const message = fault(reference, surroundings);
    return message === undefined ? [] : [{ line: reference.line, message }];
  });
}

function fault(reference: Reference, around: ReferenceContext): string | undefined {
  switch (reference.kind) {
    case 'self':
      return canonicalPersonaName(reference.value) === around.name
        ? undefined
        : `name must be that of the file, ${around.name}, not ${JSON.stringify(reference.value)}; leave it out or rename the file`;
    case 'tool':
      return missing(reference, around.knownTools, 'tool');
    case 'rule':
      return ruleFault(reference, around);
    case 'tree':
      return missing(reference, around.knownTrees, 'decision tree');
    case 'agent':
      return namesLike(reference.value, around.agents).length === 1
        ? undefined
        : missing(reference, around.agents, 'agent');
    default:
      return assertNever(reference.kind);
  }
}

/** Its text was read before; here it is about what it names. */
function ruleFault(reference: Reference, around: ReferenceContext): string | undefined {
  const { knownTools, toolArguments } = around;
  const parsed = parsePermissionRule(reference.value);
  if ('fault' in parsed) return undefined;
  const { tool } = parsed.rule;
  if (!isOpenName(tool) && knownTools?.some((name) => matchText(tool, name)) === false) {
    return missing({ ...reference, value: tool }, knownTools, 'tool');
  }
  const fault = toolArguments && patternFault(parsed.rule, toolArguments[tool]);
  return fault && `${reference.field} ${fault}; it is ${JSON.stringify(reference.value)}`;
}

function missing(
  { field, value }: Reference,
  known: readonly string[] | undefined,
  what: string,
): string | undefined {
  if (known === undefined || known.includes(value)) return undefined;
  const near = nearestName(value, known);
  const hint =
    near === undefined
      ? `there is ${known.length === 0 ? 'none' : known.join(', ')}`
      : `did you mean ${near}?`;
  return `${field} names the ${what} ${JSON.stringify(value)}, which does not exist; ${hint}`;
}
