import { unreachable } from '../platform/exhaustive.js';
import type { LineProblem } from './front-matter.js';
import { nearestName } from './nearest-name.js';
import { canonicalPersonaName, namesLike } from './persona-name.js';

type ReferenceKind = 'self' | 'tool' | 'tree' | 'agent';

/** A name in an agent's file of something outside it. */
export interface Reference {
  /** `self` is the agent's own name. */
  kind: ReferenceKind;
  /** Where it stands, as `permissions.deny`. */
  field: string;
  value: string;
  line: number;
}

/** What the server has. Names of a kind that is absent are not checked. */
export interface KnownNames {
  /** Also what an agent whose file was never good is kept from. */
  knownTools?: readonly string[];
  knownTrees?: readonly string[];
}

export interface Surroundings extends KnownNames {
  /** The agent's own name, by its file. */
  name: string;
  /** The names of all agents. */
  agents: readonly string[];
}

/** Names the references that lead nowhere. */
export function checkReferences(
  references: readonly Reference[],
  surroundings: Surroundings,
): LineProblem[] {
  return references.flatMap((reference) => {
    const message = fault(reference, surroundings);
    return message === undefined ? [] : [{ line: reference.line, message }];
  });
}

function fault(reference: Reference, around: Surroundings): string | undefined {
  switch (reference.kind) {
    case 'self':
      return canonicalPersonaName(reference.value) === around.name
        ? undefined
        : `name must be that of the file, ${around.name}, not ${JSON.stringify(reference.value)}; leave it out or rename the file`;
    case 'tool':
      return missing(reference, around.knownTools, 'tool');
    case 'tree':
      return missing(reference, around.knownTrees, 'decision tree');
    case 'agent':
      return namesLike(reference.value, around.agents).length === 1
        ? undefined
        : missing(reference, around.agents, 'agent');
    default:
      return unreachable(reference.kind);
  }
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
