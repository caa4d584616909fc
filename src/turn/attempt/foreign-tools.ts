import type { Persona } from '../../agents/parse-agent-file.js';
import { clientNotice, type NoticePosted } from '../../events/turn-event.js';
import { askText } from '../../governance/permissions/approver-rules.js';
import { isAbout } from '../../governance/permissions/match-rule.js';
import type { OfferRules } from '../../governance/permissions/decide-permission.js';
import type { Model } from '../../provider/model.js';
import { hasServerTool, isServerToolName } from '../../provider/model-types.js';
import type { ClientTool, ServerTool } from '../../storage/shapes/stored-options.js';
import { describedTool, digestOf, type RegisteredTool } from '../../tools/registry.js';
import type { Attempt } from '../state/attempt.js';

/** Tools of a turn that do not run here: its client's, the provider's, and those of a replay. */

/**
 * The client's tools for the model, and to check their calls by. Where a name is taken, the
 * server's tool has it.
 */
export function openClientTools(
  tools: readonly ClientTool[],
  taken: ReadonlySet<string>,
): { tools: RegisteredTool[]; hidden: string[] } {
  return {
    tools: tools
      .filter(({ name }) => !taken.has(name))
      .map((tool) => describedTool(tool, 'is a tool of the client: it does not run here'))
      .map((tool) => ({ ...tool, digest: digestOf(tool, 'client') })),
    hidden: tools.filter(({ name }) => taken.has(name)).map(({ name }) => name),
  };
}

/** The notice of a name that only the run could know to be taken: an MCP server's. */
export function clientToolHidden(name: string): NoticePosted {
  return clientNotice(
    'message',
    'client-tool-hidden',
    `The client's tool ${name} is not offered to the model: a tool of the server's has that name. Give yours another one.`,
    { name },
  );
}

export interface ServerToolQuestion {
  /** The tools that the turn or its agent lists. */
  asked: readonly string[];
  /** The tools that the operator allows. */
  allowed: readonly ServerTool[];
  model: Model;
  /** The tools of a subagent's parent; undefined where there is no parent. */
  within: readonly string[] | undefined;
  rules: OfferRules;
}

export interface MissingServerTool {
  name: string;
  reason: string;
}

/**
 * The tools of the provider that a turn is offered: listed by name, allowed by the operator, known to
 * the model, and touched by no rule that denies or asks, as nobody can be asked while the provider
 * runs them. Pure.
 */
export function chooseServerTools({ asked, allowed, model, within, rules }: ServerToolQuestion): {
  serverTools: ServerTool[];
  missing: MissingServerTool[];
} {
  const serverTools: ServerTool[] = [];
  const missing: MissingServerTool[] = [];
  for (const name of new Set(asked.filter(isServerToolName))) {
    const tool = allowed.find((one) => one.name === name);
    const reason =
      tool === undefined
        ? 'TURNPIKE_SERVER_TOOLS does not list it'
        : (missingFor(name, model) ?? ruledOut(name, rules));
    if (tool === undefined || reason !== undefined) {
      missing.push({ name, reason: reason ?? '' });
    } else if (within?.includes(name) !== false) {
      serverTools.push(tool);
    }
  }
  return { serverTools, missing };
}

function missingFor(name: string, model: Model): string | undefined {
  return hasServerTool(model, name) ? undefined : `the model ${model.id} has no such tool here`;
}

function ruledOut(name: string, { layers, server, session }: OfferRules): string | undefined {
  const rule = layers
    .flatMap(({ agent }) => [server, agent, session])
    .flatMap(({ deny = [], ask = [] }) => [...deny, ...ask.map(askText)])
    .find((one) => isAbout(one, name));
  return rule === undefined ? undefined : `the rule ${rule} denies it, or asks about it`;
}

/** A notice for clients: they listed a tool that the model does not have. */
export function serverToolMissing({ name, reason }: MissingServerTool): NoticePosted {
  return clientNotice(
    'message',
    'server-tool-missing',
    `The turn goes without ${name}: ${reason}.`,
    { tool: name },
  );
}

/** Tools that the provider would run are left out of a replay: their results would be new. Pure. */
export function leaveOutServerTools(
  asked: readonly string[],
): ReturnType<typeof chooseServerTools> {
  const reason = 'it is a replay, which no tool runs in, and the provider would run this one';
  const names = new Set(asked.filter(isServerToolName));
  return { serverTools: [], missing: [...names].map((name) => ({ name, reason })) };
}

/**
 * The tools of the MCP servers of a replay's agent and session, as the recorded session lists them for the model:
 * no connection is opened. Pure.
 */
export function recordedMcpTools(
  {
    prefix,
    mcpServers,
  }: Pick<Attempt['session'], 'prefix'> & { mcpServers: Record<string, unknown> | null },
  { mcpServers: ofAgent }: Pick<Persona, 'mcpServers'>,
): RegisteredTool[] {
  const own = [...(ofAgent?.named ?? []), ...Object.keys(ofAgent?.own ?? {})];
  const servers = new Set([...own, ...Object.keys(mcpServers ?? {})]);
  // An agent that names no servers has all of the configuration.
  const isTheirs = (server: string): boolean => ofAgent === undefined || servers.has(server);
  return (prefix?.tools ?? [])
    .filter((tool) => {
      const [, server] = /^mcp__(.+?)__/.exec(tool.name) ?? [];
      return server !== undefined && isTheirs(server);
    })
    .map((tool) => describedTool(tool, 'does not run in a replay'));
}
