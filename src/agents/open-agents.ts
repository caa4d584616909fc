import { AgentFiles } from './agent-files.js';
import { AgentsInvalidError, checkAgents } from './check-agents.js';
import { PersonaLibrary, type PersonaLibraryOptions } from './persona-library.js';

export type OpenAgentsOptions = PersonaLibraryOptions &
  Required<Pick<PersonaLibraryOptions, 'knownTools' | 'knownTrees'>>;

/**
 * The agents of an instruction root, each of them checked.
 *
 * @throws AgentsInvalidError that names every fault by file and line.
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
  // Turns of the harness say so, as they do for every client of the reference; whoever starts it reads it here.
  await library.assertValid().catch((error: unknown) => {
    const said = error instanceof Error ? error.message : String(error);
    options.onProblem?.(instructionRoot, said);
  });
  return library;
}
