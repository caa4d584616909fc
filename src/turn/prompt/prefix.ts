import type { PermissionMode, ToolSpec, ServerTool } from '../../storage/shapes/stored-options.js';
import { compact } from '../../platform/compact.js';
import { isSameJson } from '../../platform/json.js';
import { searchedServers } from './deferred-tools.js';
import { announce, describeServers, listSkills, serversOf, skillsOf } from './announcements.js';
import {
  findMcpChanges,
  isUnchanged,
  noMcpChanges,
  type ListedMcp,
  type McpChanges,
} from './mcp-changes.js';
import type {
  RequestPrefix,
  AnnouncedChanges,
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
  /** What notices say that the turn's requests contain. Absent: there are none. */
  announced?: AnnouncedChanges;
}

export interface ChosenPrefix {
  prefix: RequestPrefix;
  /** Whether the prefix differs from the one that the session has stored. */
  isChanged: boolean;
  /**
   * The notice for the model of what neither the prefix nor an earlier notice says; undefined where the model knows
   * everything.
   */
  notice: string | undefined;
  /** What the notice says. */
  said: AnnouncedChanges;
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
 * changes the bytes after the prefix: what MCP servers changed is in a new prefix from there on. Notices of earlier
 * turns stand after any prefix: where the last of them says something else than is so now, another one corrects it. Pure.
 */
export function choosePrefix(stored: RequestPrefix | null, input: PrefixInput): ChosenPrefix {
  const { mode, tools, serverTools = [], skills = [], servers = [], announced = {} } = input;
  const { mcp = { tools: [], answered: [] } } = input;
  const kept = stored === null ? undefined : keepPrefix(stored, { ...input, mcp });
  const { prefix, changes } = kept ?? beginPrefix(stored, { ...input, mcp });
  const state = { mode, tools, skills, servers, mcp, changes };
  const { text: notice, said, told } = announce(prefix, announced, state);
  const isChanged = prefix !== stored || !isSameJson(told, stored.told);
  return {
    prefix: isChanged ? { ...prefix, told } : prefix,
    isChanged,
    notice,
    said,
    hasTools: tools.length + serverTools.length > 0,
  };
}

type FullInput = PrefixInput & { mcp: ListedMcp };

/** A prefix that a turn can be sent with, and what MCP servers have changed since it was made. */
interface UsedPrefix {
  prefix: RequestPrefix;
  changes: McpChanges;
}

/** The prefix of the last request for this one: with more deferred tools at most. Undefined where it cannot be kept. */
function keepPrefix(stored: RequestPrefix, input: FullInput): UsedPrefix | undefined {
  const { tools, servers = [], compaction, mcp } = input;
  const changes = findMcpChanges(stored, tools, mcp);
  if (changes === undefined || !isKept(stored, input)) return undefined;
  const isCompacted = compaction !== stored.compaction;
  const inPrompt = new Map(stored.servers?.map((server) => [server.name, server]));
  const isOutdated =
    !isUnchanged(changes.told) ||
    servers.some((server) => !isSameJson(inPrompt.get(server.name), server));
  if (isCompacted && isOutdated) return undefined;
  const { added } = changes;
  if (added.length === 0 && !isCompacted) return { prefix: stored, changes };
  const prefix = { ...stored, tools: [...stored.tools, ...added], ...compact({ compaction }) };
  return { prefix, changes };
}

/** Whether what a prefix has beside the tools is as the turn wants it. */
function isKept(stored: RequestPrefix, { systemIn, serverTools = [] }: PrefixInput): boolean {
  const { mode, skills = [], servers = [], searched = [] } = stored;
  return (
    systemIn(mode, skills, servers, searched) === stored.system &&
    isSameJson(stored.serverTools ?? [], serverTools)
  );
}

function beginPrefix(stored: RequestPrefix | null, input: FullInput): UsedPrefix {
  const { systemIn, mode, serverTools = [], skills = [], servers = [], mcp, compaction } = input;
  const tools = input.defer?.(input.tools) ?? [...input.tools];
  const searched = searchedServers(tools);
  const inPrompt = { ...skillsOf(skills), ...serversOf(servers) };
  const prefix = {
    system: systemIn(mode, skills, servers, searched),
    tools,
    ...(serverTools.length === 0 ? {} : { serverTools }),
    ...inPrompt,
    ...(mcp.tools.length === 0 ? {} : { mcpTools: mcp.tools }),
    ...(searched.length === 0 ? {} : { searched }),
    mode,
    told: { mode, off: [], ...inPrompt },
    ...compact({ compaction, leftOut: stored?.leftOut }),
  };
  return { prefix, changes: noMcpChanges };
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
