import { errorCode } from '../platform/error-code.js';
import type { LineProblem } from '../platform/parsing/front-matter.js';
import type { RuleTool } from '../governance/permission-subject.js';
import { ruleFault } from '../governance/permissions/permission-rules.js';
import { unknownName } from '../platform/parsing/nearest-name.js';
import { assertNever } from '../platform/assert-never.js';
import { AgentFiles, type AgentEntry, type DefinedAgent } from './agent-files.js';
import type { AgentFile, Reference } from './parse-agent-file.js';
import { canonicalPersonaName, namesLike } from './persona-name.js';

/** A fault of an agent's file. */
export interface AgentProblem extends LineProblem {
  /** See `AgentEntry`. */
  file: string;
}

/** The agents of an instruction root are not valid; the message lists the faults, one a line. */
export class AgentsInvalidError extends Error {
  constructor(readonly problems: readonly AgentProblem[]) {
    const lines = problems.map((problem) => `  - ${placeOf(problem)}: ${problem.message}`);
    super(
      `The agents of the instruction root are not valid:\n${lines.join('\n')}\nCorrect these files, or remove them, and start again.`,
    );
    this.name = 'AgentsInvalidError';
  }
}

/** A problem's place, as `agents/reader.md:4`. */
export function placeOf({ file, line }: AgentProblem): string {
  return line === 0 ? file : `${file}:${line}`;
}

/**
 * All faults in the agents of an instruction root, by file and line. None when there is no `agents`
 * folder, which `PersonaLibrary.loadForTurn` reports.
 */
export async function checkAgents(
  instructionRoot: string,
  { defined = [], ...known }: Required<KnownNames> & { defined?: readonly DefinedAgent[] },
): Promise<AgentProblem[]> {
  const files = new AgentFiles(instructionRoot, defined);
  return checkEntries(files, await files.list(), known);
}

/** All faults in files of agents. */
export async function checkEntries(
  files: AgentFiles,
  entries: readonly AgentEntry[],
  known: KnownNames,
): Promise<AgentProblem[]> {
  const agents = [...new Set(entries.map(({ name }) => name))];
  const found = await Promise.all(
    entries.map(async (entry) => {
      const problems = await checkEntry(files, entry, { ...known, name: entry.name, agents });
      return problems.map((problem) => ({ file: entry.file, ...problem }));
    }),
  );
  return [...findDuplicates(entries), ...found.flat()];
}

/** A problem for each file whose agent has an earlier file in `entries`. */
export function findDuplicates(entries: readonly AgentEntry[]): AgentProblem[] {
  return entries.flatMap((entry) => {
    const first = entries.find(({ name }) => name === entry.name) ?? entry;
    if (first === entry) return [];
    const message = `the agent ${entry.name} has a file already, ${first.file}: remove or rename one of them`;
    return [{ file: entry.file, line: entry.file.endsWith('.md') ? 1 : 0, message }];
  });
}

/** The faults of a file and of its references, in the order of the lines. */
export function faultsOf(file: AgentFile, context: ReferenceContext): LineProblem[] {
  return [...file.content.problems, ...checkReferences(file.references, context)].sort(
    (a, b) => a.line - b.line,
  );
}

async function checkEntry(
  files: AgentFiles,
  entry: AgentEntry,
  context: ReferenceContext,
): Promise<LineProblem[]> {
  try {
    const file = await files.load(entry);
    if (file) return faultsOf(file, context);
    return [{ line: 1, message: 'this must be a regular file inside the instruction root' }];
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return [{ line: 1, message: `this file cannot be read (${code}); check its permissions` }];
  }
}

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
function checkReferences(
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
