import type { RuleTool } from '../governance/permission-subject.js';
import { ruleFault } from '../governance/permissions/check-rule.js';
import { unknownName } from '../parsing/nearest-name.js';
import { assertNever } from '../platform/assert-never.js';
import type { Reference } from './find-references.js';
import type { LineProblem } from '../parsing/front-matter.js';
import { canonicalPersonaName, namesLike } from './persona-name.js';

/** Names that the server knows. References of a kind that is absent are not checked. */
export interface KnownNames {
  knownTools?: readonly RuleTool[];
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
      return missing(
        reference,
        context.knownTools?.map(({ name }) => name),
        'tool',
      );
    case 'rule':
      return misnamed(reference, context);
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
function misnamed({ field, value }: Reference, { knownTools }: KnownNames): string | undefined {
  const fault = ruleFault(value, knownTools);
  return fault && `${field} ${fault}`;
}

function missing(
  { field, value }: Reference,
  known: readonly string[] | undefined,
  what: string,
): string | undefined {
  if (known === undefined || known.includes(value)) return undefined;
  return `${field} ${unknownName(what, value, known)}`;
}
