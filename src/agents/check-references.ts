import { isOpenName, patternFault } from '../governance/permissions/check-rule.js';
import { matchText } from '../governance/permissions/match-pattern.js';
import { parsePermissionRule } from '../governance/permissions/permission-rules.js';
import type { ArgumentKind } from '../governance/permission-subject.js';
import { assertNever } from '../platform/assert-never.js';
import type { LineProblem } from './front-matter.js';
import { nearestName } from './nearest-name.js';
import { canonicalPersonaName, namesLike } from './persona-name.js';

type ReferenceKind = 'self' | 'tool' | 'rule' | 'tree' | 'agent';

/** A name in an agent's file that refers to something outside of the file. */
export interface Reference {
  /** `self` is the agent's own name, `rule` a permission rule. */
  kind: ReferenceKind;
  /** Path of the field, as `permissions.deny`. */
  field: string;
  value: string;
  line: number;
}

/** Names that the server knows. References of a kind that is absent are not checked. */
export interface KnownNames {
  knownTools?: readonly string[];
  /** Kinds of the arguments that rule patterns match, by tool. */
  toolArguments?: Readonly<Record<string, ArgumentKind>>;
  knownTrees?: readonly string[];
}

export interface ReferenceContext extends KnownNames {
  /** The agent's name, from its file's. */
  name: string;
  /** The names of all agents. */
  agents: readonly string[];
}

/** Reports references to names that do not exist. */
export function checkReferences(
  references: readonly Reference[],
  context: ReferenceContext,
): LineProblem[] {
  return references.flatMap((reference) => {
    const message = fault(reference, context);
    return message === undefined ? [] : [{ line: reference.line, message }];
  });
}

function fault(reference: Reference, context: ReferenceContext): string | undefined {
  switch (reference.kind) {
    case 'self':
      return canonicalPersonaName(reference.value) === context.name
        ? undefined
        : `name must be that of the file, ${context.name}, not ${JSON.stringify(reference.value)}; leave it out or rename the file`;
    case 'tool':
      return missing(reference, context.knownTools, 'tool');
    case 'rule':
      return ruleFault(reference, context);
    case 'tree':
      return missing(reference, context.knownTrees, 'decision tree');
    case 'agent':
      return namesLike(reference.value, context.agents).length === 1
        ? undefined
        : missing(reference, context.agents, 'agent');
    default:
      return assertNever(reference.kind);
  }
}

/** The fault of a permission rule's tool or pattern; its syntax was checked before. */
function ruleFault(reference: Reference, context: ReferenceContext): string | undefined {
  const { knownTools, toolArguments } = context;
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
