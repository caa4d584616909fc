import { createHash } from 'node:crypto';
import { canonicalJson, cutText, isSameJson } from '../../platform/face.js';
import type { RequestPrefix, ToldMcp } from '../../storage/shapes/sent-request.js';
import type { ToolSpec } from '../../storage/shapes/stored-options.js';
import { authorizeName, MAX_MCP_TOOLS, serverOf } from '../../tools/face.js';

/** The MCP servers of a turn, as far as the prefix depends on them. */
export interface ListedMcp {
  /** Names of all their tools, offered to the turn or not. */
  tools: readonly string[];
  /** Names of the servers that answered. */
  answered: readonly string[];
}

/** The changes of MCP tools since a prefix was made, which it can be kept with. */
export interface McpChanges {
  told: ToldMcp;
  /** Deferred tools that are added to the end of the prefix. */
  added: ToolSpec[];
  /** Names of the tools that have another definition. */
  changed: ReadonlySet<string>;
}

/** The tools of a turn, and the prefix of its requests. */
export interface McpTurn {
  prefix: RequestPrefix;
  tools: readonly ToolSpec[];
  mcp: ListedMcp;
  changes: McpChanges;
}

/**
 * What has changed among a turn's tools since a prefix was made; undefined where the turn needs another prefix. New
 * tools of a server that the prefix has tools of are held back, or deferred where a search finds them: the bytes that
 * were sent stay. So does the definition of a tool that has another one now. Pure.
 */
export function findMcpChanges(
  prefix: RequestPrefix,
  tools: readonly ToolSpec[],
  mcp: ListedMcp,
): McpChanges | undefined {
  const sent = new Map(prefix.tools.map((tool) => [tool.name, tool]));
  const known = new Set(prefix.mcpTools ?? [...sent.keys()]);
  const servers = new Set([...known].filter((name) => !standsIn(name)).map(serverOf));
  const isSearched = prefix.tools.some(({ deferred }) => deferred === true);
  const added: ToolSpec[] = [];
  const changed: ToolSpec[] = [];
  for (const tool of tools) {
    const before = sent.get(tool.name);
    if (before !== undefined && isSameJson(bare(before), bare(tool))) continue;
    const server = serverOf(tool.name);
    if (server === undefined) return undefined;
    if (before !== undefined) changed.push(tool);
    else if (isSearched) added.push({ ...bare(tool), deferred: true });
    // A tool that the turn was not given before, or a server that was not there.
    else if (known.has(tool.name) || !servers.has(server)) return undefined;
  }
  if (added.length > 0 && prefix.tools.length + added.length > MAX_MCP_TOOLS) return undefined;
  const listed = new Set(mcp.tools);
  const answered = new Set<string | undefined>(mcp.answered);
  const fresh = tools.map(({ name }) => name).filter((name) => isFresh(name, known));
  const gone = [...sent.keys()].filter((name) => answered.has(serverOf(name)) && !listed.has(name));
  return {
    told: {
      fresh: fresh.sort(),
      changed: changed.map(versionOf),
      gone,
    },
    added,
    changed: new Set(changed.map(({ name }) => name)),
  };
}

/** Whether a tool stands for those of a server that lists none before a log-in: its list comes with the log-in. */
function standsIn(tool: string): boolean {
  return tool === authorizeName(serverOf(tool) ?? '');
}

function isFresh(name: string, known: ReadonlySet<string>): boolean {
  return serverOf(name) !== undefined && !known.has(name);
}

/** A definition without the mark of who gets it when. */
function bare({ deferred: _deferred, ...tool }: ToolSpec): ToolSpec {
  return tool;
}

function versionOf(tool: ToolSpec): { name: string; digest: string } {
  return { name: tool.name, digest: digestOf(tool) };
}

function digestOf(tool: ToolSpec): string {
  return createHash('sha256')
    .update(canonicalJson(bare(tool)))
    .digest('base64url')
    .slice(0, 12);
}

export const noChanges: ToldMcp = { fresh: [], changed: [], gone: [] };
/** Of a prefix that was just made. */
export const noMcpChanges: McpChanges = { told: noChanges, added: [], changed: new Set() };

/** Whether nothing has changed. Pure. */
export function isUnchanged({ fresh, changed, gone }: ToldMcp): boolean {
  return fresh.length + changed.length + gone.length === 0;
}

/** Characters of a new definition that the model is shown. */
const MAX_DEFINITION_CHARS = 4_000;
/** Names that a sentence has at most. */
const MAX_NAMES = 20;

export interface McpAnnouncement {
  /** A sentence for each kind of change. */
  lines: string[];
  /** What the sentences say. Absent: there are none. */
  said?: ToldMcp;
  /** What the model knows with them. */
  told: ToldMcp;
  /** Tools that it knows from announcements alone. */
  named: string[];
}

/**
 * What the model is told of a turn's MCP tools, where it believes something else. Pure.
 *
 * @param before what it was told in the conversation: of tools that are not in the prefix, too.
 */
export function announceMcp(
  before: ToldMcp,
  { prefix, tools, mcp, changes }: McpTurn,
): McpAnnouncement {
  const listed = new Set(mcp.tools);
  const answered = new Set<string | undefined>(mcp.answered);
  const isGone = (name: string): boolean => answered.has(serverOf(name)) && !listed.has(name);
  const away = [...new Set([...changes.told.gone, ...before.fresh.filter(isGone)])];
  const back = before.gone.filter((name) => listed.has(name));
  const gone = without(away, before.gone);
  const fresh = without(changes.told.fresh, [...before.fresh, ...before.gone]);
  const digests = new Map(before.changed.map(({ name, digest }) => [name, digest]));
  const changed = tools.filter((tool) => {
    const digest = digests.get(tool.name);
    return digest === undefined ? changes.changed.has(tool.name) : digest !== digestOf(tool);
  });
  const isSearched = prefix.tools.some(({ deferred }) => deferred === true);
  const where = isSearched
    ? 'The tool search finds them'
    : 'They are listed once the conversation was summarised, or in the next session';
  const lines = [
    ...(fresh.length === 0 ? [] : [`MCP servers have new tools: ${namesOf(fresh)}. ${where}.`]),
    ...(gone.length === 0
      ? []
      : [
          `Their MCP servers no longer have these tools, and calls to them fail: ${namesOf(gone)}.`,
        ]),
    ...(back.length === 0 ? [] : [`MCP servers have these tools again: ${namesOf(back)}.`]),
    ...changed.map(describeChanged),
  ];
  const said = { fresh: [...fresh, ...back], changed: changed.map(versionOf), gone };
  return {
    lines,
    ...(lines.length === 0 ? {} : { said }),
    told: { ...changes.told, gone: [...away, ...without(before.gone, [...away, ...back])] },
    named: without([...before.fresh, ...back], away),
  };
}

function without(names: readonly string[], known: readonly string[]): string[] {
  return names.filter((name) => !known.includes(name));
}

function namesOf(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return `${names.slice(0, MAX_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function describeChanged({ name, description, inputSchema }: ToolSpec): string {
  const definition = JSON.stringify({ description, input_schema: inputSchema });
  return `${name} has another definition from here on: ${cutText(definition, MAX_DEFINITION_CHARS)}`;
}
