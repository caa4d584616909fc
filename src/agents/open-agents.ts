import { AgentsInvalidError, checkAgents } from './check-agents.js';
import { PersonaLibrary, type PersonaLibraryOptions } from './load-persona.js';

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
  return new PersonaLibrary(instructionRoot, options);
}
