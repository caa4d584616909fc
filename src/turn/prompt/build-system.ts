import type { PermissionMode } from '../../storage/shapes/stored-options.js';
import { assertNever } from '../../platform/assert-never.js';
import type { ToldServer, ToldSkill } from '../../storage/shapes/sent-request.js';
import { describeServers, listSkills } from './request-prefix.js';

export interface SystemFacts {
  /** The persona's instructions. */
  prompt: string;
  persona: string;
  projectRoot: string;
  mode: PermissionMode;
  /** Skills that the turn can load. Absent: none. */
  skills?: readonly ToldSkill[];
  /** MCP servers that say how their tools are used. Absent: none. */
  servers?: readonly ToldServer[];
  /** What the application says beside the user. Absent: nothing. */
  instructions?: string;
}

/**
 * The system prompt of every call of a turn. Nothing in it changes between steps, or between turns
 * with the same persona and mode, so that it stays in the provider's cache. Pure.
 */
export function buildSystem(facts: SystemFacts): string {
  const {
    prompt,
    persona,
    projectRoot,
    mode,
    skills = [],
    servers = [],
    instructions = '',
  } = facts;
  return [
    prompt.trim(),
    `You are running as ${persona}, in the project ${projectRoot}. Tools work inside that folder; give paths relative to it.`,
    `Permission mode: ${mode}. ${describeMode(mode)}`,
    skills.length === 0 ? '' : `${aboutSkills}\n${listSkills(skills)}`,
    describeServers(servers),
    instructions.trim() === ''
      ? ''
      : `Instructions from the application:\n\n${instructions.trim()}`,
  ]
    .filter((paragraph) => paragraph !== '')
    .join('\n\n');
}

const aboutSkills =
  'Skills are instructions for certain kinds of work. Where one of these fits, call load_skill with its name before the work, and follow what it says:';

function describeMode(mode: PermissionMode): string {
  switch (mode) {
    case 'direct':
      return 'Reading is allowed; changing files and running commands needs approval.';
    case 'acceptEdits':
      return 'Reading and changing files is allowed; running commands needs approval.';
    case 'dontAsk':
      return 'Nobody can be asked: what is not approved in advance is denied. Do not try a denied call again.';
    case 'plan':
      return 'Read only. Explore and propose a plan; do not try to change anything.';
    default:
      return assertNever(mode);
  }
}
