import type { PermissionMode, ToolSpec, ServerTool } from '../../storage/shapes/stored-options.js';
import { compact } from '../../platform/compact.js';
import { isSameJson } from '../../platform/json.js';
import { searchedServers } from './deferred-tools.js';
import {
  describeMcpChanges,
  findMcpChanges,
  isUnchanged,
  noChanges,
  type ListedMcp,
} from './mcp-changes.js';
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
    searched: readonly string[],
  ): string;
  mode: PermissionMode;
  /** Tools that the turn can call. */
  tools: readonly ToolSpec[];
  /** Defers tools of a new prefix. Absent: none is deferred. */
  defer?(tools: readonly ToolSpec[]): ToolSpec[];
  /** The MCP servers of the turn. Absent: none. */
  mcp?: ListedMcp;
  /** The last compaction of the conversation. Absent: none. */
  compaction?: string | undefined;
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
 * other skills, or other tools and instructions of an MCP server become a notice. An edited prompt,
 * another persona or a tool that the turn was not given before begin a new prefix, and so does a
 * change among the provider's own tools: a listed one runs, whatever a notice says. A compaction
 * changes the bytes after the prefix: what MCP servers changed is in a new prefix from there on. Pure.
 */
export function choosePrefix(stored: RequestPrefix | null, input: PrefixInput): ChosenPrefix {
  const { mode, tools, serverTools = [], skills = [], servers = [] } = input;
  const { compaction, mcp = { tools: [], answered: [] } } = input;
  const hasTools = tools.length + serverTools.length > 0;
  const changes = stored === null ? undefined : findMcpChanges(stored, tools, mcp);
  if (stored === null || changes === undefined || !isKept(stored, input)) {
    return { prefix: newPrefix(stored, input), isChanged: true, notice: undefined, hasTools };
  }
  const isCompacted = compaction !== stored.compaction;
  const said = new Map(stored.servers?.map((server) => [server.name, server]));
  const isOutdated =
    !isUnchanged(changes.told) ||
    servers.some((server) => !isSameJson(said.get(server.name), server));
  if (isCompacted && isOutdated) {
    return { prefix: newPrefix(stored, input), isChanged: true, notice: undefined, hasTools };
  }
  const wanted = new Set([...tools.map(({ name }) => name), ...changes.told.gone]);
  const off = stored.tools.map(({ name }) => name).filter((name) => !wanted.has(name));
  // The tools of a server that is gone are off. What it said counts once it is back.
  const before = new Map(stored.told.servers?.map((server) => [server.name, server]));
  const fresh = servers.filter((server) => !isSameJson(before.get(server.name), server));
  for (const server of fresh) before.set(server.name, server);
  const known = {
    mode,
    off,
    ...listOf(skills),
    ...serversOf([...before.values()]),
    ...(isUnchanged(changes.told) ? {} : { mcp: changes.told }),
  };
  const { added } = changes;
  if (isSameJson(known, stored.told) && added.length === 0 && !isCompacted) {
    return { prefix: stored, isChanged: false, notice: undefined, hasTools };
  }
  const isSearched = stored.tools.some(({ deferred }) => deferred === true);
  const lines = [
    ...(mode === stored.told.mode ? [] : [`The permission mode is ${mode} from here on.`]),
    ...(off.join() === stored.told.off.join() ? [] : [describeOff(off)]),
    ...describeSkills(stored.told.skills ?? [], skills),
    ...describeMcpChanges(stored.told.mcp ?? noChanges, changes, isSearched),
    ...(fresh.length === 0 ? [] : [`From here on:\n${describeServers(fresh)}`]),
  ];
  const prefix = {
    ...stored,
    ...(added.length === 0 ? {} : { tools: [...stored.tools, ...added] }),
    ...compact({ compaction }),
    told: known,
  };
  const notice = lines.join(' ').trim();
  return { prefix, isChanged: true, notice: notice === '' ? undefined : notice, hasTools };
}

/** Whether what a prefix has beside the tools is as the turn wants it. */
function isKept(stored: RequestPrefix, { systemIn, serverTools = [] }: PrefixInput): boolean {
  const { mode, skills = [], servers = [], searched = [] } = stored;
  return (
    systemIn(mode, skills, servers, searched) === stored.system &&
    isSameJson(stored.serverTools ?? [], serverTools)
  );
}

function newPrefix(stored: RequestPrefix | null, input: PrefixInput): RequestPrefix {
  const { systemIn, mode, serverTools = [], skills = [], servers = [], mcp, compaction } = input;
  const tools = input.defer?.(input.tools) ?? [...input.tools];
  const searched = searchedServers(tools);
  const announced = { ...listOf(skills), ...serversOf(servers) };
  return {
    system: systemIn(mode, skills, servers, searched),
    tools,
    ...(serverTools.length === 0 ? {} : { serverTools }),
    ...announced,
    ...(mcp === undefined || mcp.tools.length === 0 ? {} : { mcpTools: mcp.tools }),
    ...(searched.length === 0 ? {} : { searched }),
    mode,
    told: { mode, off: [], ...announced },
    ...compact({ compaction, leftOut: stored?.leftOut }),
  };
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
  /** MCP servers whose tools a search finds. Absent: none. */
  searched?: readonly string[];
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
    searched = [],
    instructions = '',
  } = facts;
  return [
    prompt.trim(),
    `You are running as ${persona}, in the project ${projectRoot}. Tools work inside that folder; give paths relative to it.`,
    `Permission mode: ${mode}. ${describeMode(mode)}`,
    skills.length === 0 ? '' : `${aboutSkills}\n${listSkills(skills)}`,
    searched.length === 0
      ? ''
      : `More tools are not listed: a search finds those of these MCP servers. Search before you say that you lack a tool: ${searched.join(', ')}.`,
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
