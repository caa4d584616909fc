import type { Persona } from '../../agents/parse-agent-file.js';
import type { PersonaLibrary } from '../../agents/persona-library.js';
import {
  decideDelegation,
  type DelegationDeps,
} from '../../governance/permissions/subagent-gate.js';
import { openAgentsOf } from '../../session/project-agents.js';
import type { OpenedRoot, ProjectRoots } from '../../session/project-roots.js';
import type { SessionRow } from '../../session/session-store.js';
import type { SubagentDecision } from '../../storage/shapes/stored-options.js';

interface ProjectDeps extends Omit<DelegationDeps, 'personas'> {
  personas: Pick<PersonaLibrary, 'load'>;
  projectRoots: Pick<ProjectRoots, 'files'>;
}

/** Whether and to whom a turn may delegate where its session or the project of it brings agents: they count, too. */
export async function decideInProject(
  deps: ProjectDeps,
  { persona, governance }: { persona: Persona; governance: unknown },
  { session, root }: { session: SessionRow; root: OpenedRoot },
): Promise<SubagentDecision> {
  const agents = await openAgentsOf(session, root, deps);
  const subagents = [...new Set([...persona.subagents, ...agents.own])];
  return decideDelegation({ ...deps, personas: agents }, { ...persona, subagents }, governance);
}
