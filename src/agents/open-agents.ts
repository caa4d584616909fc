import { AgentFiles } from './agent-files.js';
import { AgentsInvalidError, checkAgents } from './check-agents.js';
import { PersonaLibrary, type PersonaLibraryOptions } from './persona-library.js';

export type OpenAgentsOptions = PersonaLibraryOptions &
  Required<Pick<PersonaLibraryOptions, 'knownTools' | 'knownTrees'>>;

/**
 * Checks and opens the agents of an instruction root.
 *
 * @throws AgentsInvalidError with every fault by file and line.
 */
export async function openAgents(
  instructionRoot: string,
  options: OpenAgentsOptions,
): Promise<PersonaLibrary> {
  const problems = await checkAgents(instructionRoot, options);
  if (problems.length > 0) throw new AgentsInvalidError(problems);
  const library = new PersonaLibrary(instructionRoot, options);
  for (const { file, better } of await new AgentFiles(instructionRoot).ignored()) {
    options.onProblem?.(
      file,
      `this file is no agent: a name is 1 to 64 letters, digits, "_" or "-", and ends in .md; rename it, for example ${better}`,
    );
  }
  // An incomplete root fails the turns of the harness only; the operator gets a warning at the start.
  await library.assertValid().catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    options.onProblem?.(instructionRoot, message);
  });
  return library;
}
