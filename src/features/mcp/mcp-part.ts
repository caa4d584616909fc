import * as z from 'zod/mini';
import { isSameJson, parseValue } from '../../platform/face.js';
import type { AnnouncedServer, RequestPrefix } from '../../storage/shapes/sent-request.js';
import type { ToolSpec } from '../../storage/shapes/stored-options.js';
import { serverOf } from '../../tools/face.js';
import type {
  KeptPart,
  PartTurn,
  PrefixFields,
  PromptPart,
  SaidFields,
  ToldPart,
} from '../../turn/face.js';
import { searchedServers } from './defer-tools.js';
import {
  announceMcp,
  findMcpChanges,
  isUnchanged,
  noChanges,
  noMcpChanges,
  type ListedMcp,
} from './mcp-changes.js';

/** What a turn has of MCP servers. */
export interface McpState extends ListedMcp {
  /** Servers that say how their tools are used. */
  servers: readonly AnnouncedServer[];
  /** Defers tools of a new prefix. */
  defer(tools: readonly ToolSpec[]): ToolSpec[];
}

const none: McpState = { tools: [], answered: [], servers: [], defer: (tools) => [...tools] };

/** The tools of MCP servers, what these say of them, and which are found by a search alone. */
export const mcpPart: PromptPart<McpState> = {
  order: 20,
  fields: ['servers', 'mcpTools', 'searched', 'mcp'],
  paragraphs: ({ searched = [], servers = [] }) => [
    searched.length === 0
      ? ''
      : `More tools are not listed: a search finds those of these MCP servers. Search before you say that you lack a tool: ${searched.join(', ')}.`,
    describeServers(servers),
  ],
  begin: (state = none, tools) => {
    const sent = state.defer(tools);
    const searched = searchedServers(sent);
    const fields: PrefixFields = {
      ...serversOf(state.servers),
      ...(state.tools.length === 0 ? {} : { mcpTools: state.tools }),
      ...(searched.length === 0 ? {} : { searched }),
    };
    return { fields, tools: sent };
  },
  keep,
  tell,
  join,
  parse: (said) => parseValue(shape, said).value ?? {},
};

const names = z.array(z.string());
const shape = z.object({
  servers: z.exactOptional(z.array(z.object({ name: z.string(), instructions: z.string() }))),
  mcp: z.exactOptional(
    z.object({
      fresh: names,
      changed: z.array(z.object({ name: z.string(), digest: z.string() })),
      gone: names,
    }),
  ),
});

/** What MCP servers say, for the model. */
export function describeServers(servers: readonly AnnouncedServer[]): string {
  return servers
    .map(({ name, instructions }) => `The MCP server ${name} says of its tools:\n${instructions}`)
    .join('\n\n');
}

/** Tools of MCP servers that were added or changed are held back or deferred: the bytes that were sent stay. */
function keep(
  prefix: RequestPrefix,
  { state = none, tools }: PartTurn<McpState>,
): KeptPart | undefined {
  const ofServers = tools.filter(({ name }) => serverOf(name) !== undefined);
  const changes = findMcpChanges(prefix, ofServers, state);
  if (changes === undefined) return undefined;
  const inPrompt = new Map(prefix.servers?.map((server) => [server.name, server]));
  return {
    covers: ofServers.map(({ name }) => name),
    added: changes.added,
    isOutdated:
      !isUnchanged(changes.told) ||
      state.servers.some((server) => !isSameJson(inPrompt.get(server.name), server)),
  };
}

function tell(
  prefix: RequestPrefix,
  before: SaidFields,
  { state = none, tools }: PartTurn<McpState>,
): ToldPart {
  const changes = findMcpChanges(prefix, tools, state) ?? noMcpChanges;
  const ofTools = announceMcp(before.mcp ?? noChanges, { prefix, tools, mcp: state, changes });
  // The tools of a server that is gone are off. What it said counts once it is back.
  const known = byName(prefix.servers, before.servers);
  const saidBy = new Map(known.map((server) => [server.name, server]));
  const changed = state.servers.filter((one) => !isSameJson(saidBy.get(one.name), one));
  const instructions = changed.length === 0 ? [] : [`From here on:\n${describeServers(changed)}`];
  return {
    lines: [...ofTools.lines, ...instructions],
    said: {
      ...serversOf(changed),
      ...(ofTools.said === undefined ? {} : { mcp: ofTools.said }),
    },
    told: {
      ...serversOf(byName(known, changed)),
      ...(isUnchanged(ofTools.told) ? {} : { mcp: ofTools.told }),
    },
    added: ofTools.named,
    removed: ofTools.told.gone,
  };
}

function join(before: SaidFields, { servers, mcp = noChanges }: SaidFields): SaidFields {
  const mentioned = new Set([...mcp.fresh, ...mcp.gone]);
  const others = (all: readonly string[] = []): string[] =>
    all.filter((name) => !mentioned.has(name));
  return {
    servers: byName(before.servers, servers),
    mcp: {
      fresh: [...others(before.mcp?.fresh), ...mcp.fresh],
      changed: byName(before.mcp?.changed, mcp.changed),
      gone: [...others(before.mcp?.gone), ...mcp.gone],
    },
  };
}

/** Items of both lists; of two with one name, the later. */
function byName<T extends { name: string }>(
  before: readonly T[] = [],
  after: readonly T[] = [],
): T[] {
  return [...new Map([...before, ...after].map((one) => [one.name, one])).values()];
}

function serversOf(servers: readonly AnnouncedServer[]): {
  servers?: readonly AnnouncedServer[];
} {
  return servers.length === 0 ? {} : { servers };
}
