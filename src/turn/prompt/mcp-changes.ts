import { createHash } from 'node:crypto';
import { canonicalJson, isSameJson } from '../../platform/json.js';
import { cutText } from '../../platform/text/cut-text.js';
import type { RequestPrefix, ToldMcp } from '../../storage/shapes/sent-request.js';
import type { ToolSpec } from '../../storage/shapes/stored-options.js';
import { MAX_DEFERRED, serverOf } from './deferred-tools.js';

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
  /** New definitions, by name. */
  definitions: ReadonlyMap<string, ToolSpec>;
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
  if (added.length > 0 && prefix.tools.length + added.length > MAX_DEFERRED) return undefined;
  const listed = new Set(mcp.tools);
  const answered = new Set<string | undefined>(mcp.answered);
  const fresh = tools.map(({ name }) => name).filter((name) => isFresh(name, known));
  const gone = [...sent.keys()].filter((name) => answered.has(serverOf(name)) && !listed.has(name));
  return {
    told: {
      fresh: fresh.sort(),
      changed: changed.map((tool) => ({ name: tool.name, digest: digestOf(tool) })),
      gone,
    },
    added,
    definitions: new Map(changed.map((tool) => [tool.name, tool])),
  };
}

/** Whether a tool stands for those of a server that lists none before a log-in: its list comes with the log-in. */
function standsIn(tool: string): boolean {
  return tool === `mcp__${serverOf(tool)}__authorize`;
}

function isFresh(name: string, known: ReadonlySet<string>): boolean {
  return serverOf(name) !== undefined && !known.has(name);
}

/** A definition without the mark of who gets it when. */
function bare({ deferred: _deferred, ...tool }: ToolSpec): ToolSpec {
  return tool;
}

function digestOf(tool: ToolSpec): string {
  return createHash('sha256')
    .update(canonicalJson(bare(tool)))
    .digest('base64url')
    .slice(0, 12);
}

export const noChanges: ToldMcp = { fresh: [], changed: [], gone: [] };

/** Whether nothing has changed. Pure. */
export function isUnchanged({ fresh, changed, gone }: ToldMcp): boolean {
  return fresh.length + changed.length + gone.length === 0;
}

/** Characters of a new definition that the model is shown. */
const MAX_DEFINITION_CHARS = 4_000;
/** Names that a sentence has at most. */
const MAX_NAMES = 20;

/** What the model is told of changes since those that it knows, a sentence each. Pure. */
export function describeMcpChanges(
  before: ToldMcp,
  { told, definitions }: McpChanges,
  isSearched: boolean,
): string[] {
  const fresh = without(told.fresh, before.fresh);
  const gone = without(told.gone, before.gone);
  const back = without(before.gone, told.gone);
  const changed = told.changed.filter((one) => !before.changed.some((old) => isSameJson(old, one)));
  const where = isSearched
    ? 'The tool search finds them'
    : 'They are listed once the conversation was summarised, or in the next session';
  return [
    ...(fresh.length === 0 ? [] : [`MCP servers have new tools: ${namesOf(fresh)}. ${where}.`]),
    ...(gone.length === 0
      ? []
      : [
          `Their MCP servers no longer have these tools, and calls to them fail: ${namesOf(gone)}.`,
        ]),
    ...(back.length === 0 ? [] : [`MCP servers have these tools again: ${namesOf(back)}.`]),
    ...changed.map(({ name }) => describeChanged(name, definitions.get(name))),
  ];
}

function without(names: readonly string[], known: readonly string[]): string[] {
  return names.filter((name) => !known.includes(name));
}

function namesOf(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return `${names.slice(0, MAX_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function describeChanged(name: string, tool: ToolSpec | undefined): string {
  const definition = JSON.stringify({
    description: tool?.description,
    input_schema: tool?.inputSchema,
  });
  return `${name} has another definition from here on: ${cutText(definition, MAX_DEFINITION_CHARS)}`;
}
