import { stat } from 'node:fs/promises';
import { ConfigError } from '../config/config.js';
import { AgentFiles, isHarnessPersona } from './agent-files.js';
import { AgentsInvalidError, checkAgents } from './check-agents.js';
import { DEFAULT_PERSONA } from './persona-name.js';
import { PersonaLibrary, type PersonaLibraryOptions } from './persona-library.js';

export type OpenAgentsOptions = PersonaLibraryOptions &
  Required<Pick<PersonaLibraryOptions, 'knownTools' | 'knownTrees'>>;

/**
 * Checks and opens the agents of an instruction root.
 *
 * @throws ConfigError where the folder is missing; AgentsInvalidError with every fault by file and line.
 */
export async function openAgents(
  instructionRoot: string,
  options: OpenAgentsOptions,
): Promise<PersonaLibrary> {
  await requireFolder(instructionRoot);
  const problems = await checkAgents(instructionRoot, options);
  if (problems.length > 0) throw new AgentsInvalidError(problems);
  const library = new PersonaLibrary(instructionRoot, options);
  for (const { file, better } of await new AgentFiles(instructionRoot).ignored()) {
    options.onProblem?.(
      file,
      `this file is no agent: a name is 1 to 64 letters, digits, "_" or "-", and ends in .md; rename it, for example ${better}`,
    );
  }
  // A root without the files of a persona fails its turns alone; the operator gets a warning at the start.
  const personas = await library.personas();
  const first = personas.find(({ file }) => isHarnessPersona(file)) ?? personas[0];
  await library.loadForTurn(first?.name ?? DEFAULT_PERSONA).catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    options.onProblem?.(instructionRoot, message);
  });
  return library;
}

/** @throws ConfigError where there is no such folder: no turn could run. */
async function requireFolder(instructionRoot: string): Promise<void> {
  const isFolder = await stat(instructionRoot).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) return;
  throw new ConfigError([
    `TURNPIKE_INSTRUCTION_ROOT names ${instructionRoot}, and there is no such folder. Make it, with an agent in agents/NAME.md (docs/guide/named-agents.md), or correct the variable`,
  ]);
}
