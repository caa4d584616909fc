import type { Persona } from '../agents/parse-agent-file.js';
import type { PersonaLibrary } from '../agents/persona-library.js';
import { isSamePersona } from '../agents/same-persona.js';
import { isTypedError } from '../errors/typed-error.js';
import type { ProjectAgent } from '../project-files/convert-agent.js';
import { projectOf, type OpenedRoot, type ProjectRoots } from './project-roots.js';
import { agentsOfSession } from './session-agents.js';
import type { SessionRow } from './session-store.js';

/** Agents by name. */
export interface Agents {
  /** @throws TypedError PERSONA_NOT_FOUND. */
  load(name: string): Promise<Persona>;
}

/** The agents that a session may delegate to beside those that its agent names. */
export interface SessionAgents extends Agents {
  /** Names of those that the session or its project brings. */
  own: readonly string[];
}

/** Where a session may have agents from. */
export type AgentBringer = Pick<SessionRow, 'projectFiles' | 'agents'>;

/** Whether a session may have agents that are not the server's. */
export function bringsAgents({ projectFiles, agents }: AgentBringer): boolean {
  return projectFiles !== null || agents !== null;
}

/**
 * The agents that a session may delegate to: those that its client gave, then those of its project. An agent of the server
 * that may be delegated to hides one of the project with its name.
 */
export async function openAgentsOf(
  session: AgentBringer,
  root: OpenedRoot,
  {
    personas,
    projectRoots,
  }: {
    personas: Pick<PersonaLibrary, 'load'>;
    projectRoots: Pick<ProjectRoots, 'files'>;
  },
): Promise<SessionAgents> {
  const given = agentsOfSession(session.agents);
  const ofProject =
    session.projectFiles === null
      ? []
      : (await projectRoots.files.read(projectOf(root))).value.agents;
  return {
    own: [...given, ...ofProject].map(({ name }) => name),
    load: async (name) => {
      const first = given.find((one) => isSamePersona(one.name, name));
      if (first !== undefined) return personaOf({ ...first, file: `session.agents.${first.name}` });
      const found = ofProject.find((one) => isSamePersona(one.name, name));
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
  session: Pick<SessionRow, 'projectFiles' | 'agents' | 'projectRoot' | 'principalId'>,
  { name, roleRoots }: { name: string; roleRoots: readonly string[] | null },
): Promise<Persona> {
  if (!bringsAgents(session)) return personas.load(name);
  const owner = { id: session.principalId, roleRoots };
  const root = await projectRoots.openForOwner(session.projectRoot, owner);
  return (await openAgentsOf(session, root, { personas, projectRoots })).load(name);
}
