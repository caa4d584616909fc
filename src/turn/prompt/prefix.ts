import type { PermissionMode, ToolSpec, ServerTool } from '../../storage/shapes/stored-options.js';
import { compact } from '../../platform/compact.js';
import { isSameJson } from '../../platform/json.js';
import type {
  RequestPrefix,
  AnnouncedServer,
  AnnouncedSkill,
} from '../../storage/shapes/sent-request.js';
import { assertNever } from '../../platform/assert-never.js';

/** The prefix that a turn asks for. */
export interface PrefixInput {
  /** The system prompt, with a permission mode, skills and instructions of MCP servers in it. */
  systemIn(
    mode: PermissionMode,
    skills: readonly AnnouncedSkill[],
    servers: readonly AnnouncedServer[],
  ): string;
  mode: PermissionMode;
  /** Tools that the turn can call. */
  tools: readonly ToolSpec[];
  /** Tools that the provider runs. Absent: none. */
  serverTools?: readonly ServerTool[];
  /** Skills that the turn can load. Absent: none. */
  skills?: readonly AnnouncedSkill[];
  /** MCP servers that say how their tools are used. Absent: none. */
  servers?: readonly AnnouncedServer[];
}

export interface ChosenPrefix {
  prefix: RequestPrefix;
  /** Whether the prefix differs from the one that the session has stored. */
  isChanged: boolean;
  /**
   * The notice for the model in place of a change of the prefix; undefined where nothing changed.
   */
  notice: string | undefined;
  /** Whether any tool is on: a turn without one must not offer those that are off. */
  hasTools: boolean;
}

/**
 * Chooses the prefix of a turn's requests. A session's prefix stays as it was sent for as long as
 * it can: the provider's cache, and thinking that is bound to the prefix, are lost with the first
 * byte that changes. So a tool that is off for a turn stays listed, and another permission mode,
 * other skills or other instructions of an MCP server become a notice. An edited prompt, another persona or a tool that was not listed begin a new
 * prefix, and so does a change among the provider's own tools: a listed one runs, whatever a notice
 * says. Pure.
 */
export function choosePrefix(
  stored: RequestPrefix | null,
  { systemIn, mode, tools, serverTools = [], skills = [], servers = [] }: PrefixInput,
): ChosenPrefix {
  const hasTools = tools.length + serverTools.length > 0;
  const named = new Map(stored?.tools.map((tool) => [tool.name, tool]));
  const isKept =
    stored !== null &&
    systemIn(stored.mode, stored.skills ?? [], stored.servers ?? []) === stored.system &&
    isSameJson(stored.serverTools ?? [], serverTools) &&
    tools.every((tool) => isSameJson(named.get(tool.name), tool));
  if (!isKept) {
    const prefix = {
      system: systemIn(mode, skills, servers),
      tools: [...tools],
      ...(serverTools.length === 0 ? {} : { serverTools }),
      ...listOf(skills),
      ...serversOf(servers),
      mode,
      told: { mode, off: [], ...listOf(skills), ...serversOf(servers) },
      ...compact({ leftOut: stored?.leftOut }),
    };
    return { prefix, isChanged: true, notice: undefined, hasTools };
  }
  const wanted = new Set(tools.map(({ name }) => name));
  const off = stored.tools.map(({ name }) => name).filter((name) => !wanted.has(name));
  // The tools of a server that is gone are off. What it said counts once it is back.
  const before = new Map(stored.told.servers?.map((server) => [server.name, server]));
  const fresh = servers.filter((server) => !isSameJson(before.get(server.name), server));
  for (const server of fresh) before.set(server.name, server);
  const known = { mode, off, ...listOf(skills), ...serversOf([...before.values()]) };
  if (isSameJson(known, stored.told)) {
    return { prefix: stored, isChanged: false, notice: undefined, hasTools };
  }
  const lines = [
    ...(mode === stored.told.mode ? [] : [`The permission mode is ${mode} from here on.`]),
    ...(off.join() === stored.told.off.join() ? [] : [describeOff(off)]),
    ...describeSkills(stored.told.skills ?? [], skills),
    ...(fresh.length === 0 ? [] : [`From here on:\n${describeServers(fresh)}`]),
  ];
  const notice = lines.join(' ').trim();
  return { prefix: { ...stored, told: known }, isChanged: true, notice, hasTools };
}

/** The field is absent where there are no skills, as in what was stored before there were any. */
function listOf(skills: readonly AnnouncedSkill[]): { skills?: readonly AnnouncedSkill[] } {
  return skills.length === 0 ? {} : { skills };
}

function serversOf(servers: readonly AnnouncedServer[]): { servers?: readonly AnnouncedServer[] } {
  return servers.length === 0 ? {} : { servers };
}

/** What MCP servers say, for the model. */
export function describeServers(servers: readonly AnnouncedServer[]): string {
  return servers
    .map(({ name, instructions }) => `The MCP server ${name} says of its tools:\n${instructions}`)
    .join('\n\n');
}

function describeSkills(
  announced: readonly AnnouncedSkill[],
  now: readonly AnnouncedSkill[],
): string[] {
  const before = new Map(announced.map((skill) => [skill.name, skill]));
  const isListed = ({ name, description }: AnnouncedSkill): boolean =>
    before.get(name)?.description === description;
  const fresh = now.filter((skill) => !isListed(skill));
  const edited = now.filter(
    (skill) => isListed(skill) && before.get(skill.name)?.digest !== skill.digest,
  );
  const names = new Set(now.map(({ name }) => name));
  const gone = announced.filter(({ name }) => !names.has(name));
  return [
    ...(fresh.length === 0
      ? []
      : [`From here on there are these skills too:\n${listSkills(fresh)}\n`]),
    ...(edited.length === 0
      ? []
      : [`These skills have changed; load them again before you follow them: ${namesOf(edited)}.`]),
    ...(gone.length === 0 ? [] : [`These skills are gone: ${namesOf(gone)}.`]),
  ];
}

/** Skills for the model, a line each. */
function listSkills(skills: readonly AnnouncedSkill[]): string {
  return skills.map(({ name, description }) => `- ${name}: ${description}`).join('\n');
}

function namesOf(skills: readonly AnnouncedSkill[]): string {
  return skills.map(({ name }) => name).join(', ');
}

function describeOff(off: readonly string[]): string {
  if (off.length === 0) return 'Every tool is on from here on.';
  return `These tools are off from here on, and calls to them are not run: ${off.join(', ')}.`;
}

export interface SystemFacts {
  /** The persona's instructions. */
  prompt: string;
  persona: string;
  projectRoot: string;
  mode: PermissionMode;
  /** Skills that the turn can load. Absent: none. */
  skills?: readonly AnnouncedSkill[];
  /** MCP servers that say how their tools are used. Absent: none. */
  servers?: readonly AnnouncedServer[];
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
