import type { Persona } from '../agents/parse-agent-file.js';
import type { PersonaLibrary } from '../agents/persona-library.js';
import { isTypedError } from '../errors/typed-error.js';
import type { ProjectAgent } from '../project-files/convert-agent.js';
import { projectOf, type OpenedRoot, type ProjectRoots } from './project-roots.js';
import type { SessionRow } from './session-store.js';

/** Agents by name. */
export interface Agents {
  /** @throws TypedError PERSONA_NOT_FOUND. */
  load(name: string): Promise<Persona>;
}

/** The agents of a session whose project has some: those of the server, then those of the project. */
export interface SessionAgents extends Agents {
  /** Names of those of the project that the session may delegate to. */
  ofProject: readonly string[];
}

/**
 * The agents that a session may delegate to. An agent of the server that may be delegated to hides one of the project
 * with its name.
 */
export async function openAgentsOf(
  { projectFiles }: Pick<SessionRow, 'projectFiles'>,
  root: OpenedRoot,
  {
    personas,
    projectRoots,
  }: {
    personas: Pick<PersonaLibrary, 'load'>;
    projectRoots: Pick<ProjectRoots, 'files'>;
  },
): Promise<SessionAgents> {
  if (projectFiles === null) return { ofProject: [], load: (name) => personas.load(name) };
  const { value } = await projectRoots.files.read(projectOf(root));
  return {
    ofProject: value.agents.map(({ name }) => name),
    load: async (name) => {
      const found = value.agents.find((one) => one.name === name);
      if (found === undefined) return personas.load(name);
      const own = await unlessMissing(personas.load(name));
      const isDelegate = own?.agentType === found.agent.content.agentType;
      return own !== undefined && isDelegate ? own : personaOf(found);
    },
  };
}

async function unlessMissing(loading: Promise<Persona>): Promise<Persona | undefined> {
  try {
    return await loading;
  } catch (error) {
    if (isTypedError(error, 'PERSONA_NOT_FOUND')) return undefined;
    throw error;
  }
}

function personaOf({ name, file, agent }: ProjectAgent): Persona {
  return { ...agent.content, name, file };
}

interface AgentServices {
  personas: Pick<PersonaLibrary, 'load'>;
  projectRoots: Pick<ProjectRoots, 'files' | 'openForOwner'>;
}

/** The agent that a session delegates to, or that a subagent's session is of. @throws TypedError PERSONA_NOT_FOUND, WORKING_ROOT_*. */
export async function loadDelegate(
  { personas, projectRoots }: AgentServices,
  session: Pick<SessionRow, 'projectFiles' | 'projectRoot' | 'principalId'>,
  { name, roleRoots }: { name: string; roleRoots: readonly string[] | null },
): Promise<Persona> {
  if (session.projectFiles === null) return personas.load(name);
  const owner = { id: session.principalId, roleRoots };
  const root = await projectRoots.openForOwner(session.projectRoot, owner);
  return (await openAgentsOf(session, root, { personas, projectRoots })).load(name);
}
