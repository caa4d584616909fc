import { isTypedError } from '../errors/typed-error.js';
import type { PersonaLibrary } from './persona-library.js';

/** `AGENT_TYPE` of agents that may be delegated to. */
const TASK_AGENT = 2;

export interface Delegates {
  /** Names of delegates, in the order of the persona's list. */
  names: string[];
  /** Listed agents that are no delegates, with the reason. */
  dropped: { name: string; reason: string }[];
  /** Delegates with a doubtful file. */
  warnings: { name: string; reason: string }[];
}

/** Selects the delegates from the agents that a persona lists: those with a file of `AGENT_TYPE: 2`. */
export async function findDelegates(
  personas: Pick<PersonaLibrary, 'load'>,
  listed: readonly string[],
): Promise<Delegates> {
  const delegates: Delegates = { names: [], dropped: [], warnings: [] };
  for (const name of listed) {
    const agent = await loadOrUndefined(personas, name);
    if (agent === undefined) {
      delegates.dropped.push({ name, reason: 'it has no file' });
    } else if (agent.agentType !== TASK_AGENT) {
      delegates.dropped.push({ name, reason: `its file does not say AGENT_TYPE: ${TASK_AGENT}` });
    } else {
      delegates.names.push(name);
      if (agent.agentClass !== 'TASK') {
        delegates.warnings.push({ name, reason: 'its file does not say AGENT_CLASS: TASK' });
      }
    }
  }
  return delegates;
}

async function loadOrUndefined(personas: Pick<PersonaLibrary, 'load'>, name: string) {
  try {
    return await personas.load(name);
  } catch (error) {
    if (isTypedError(error, 'PERSONA_NOT_FOUND')) return undefined;
    throw error;
  }
}
