import type { SecretVault } from '../../access/face.js';
import type { Persona } from '../../agents/face.js';
import { clientNotice, type NoticePosted } from '../../events/face.js';
import { compact } from '../../platform/face.js';
import { isOfProject, openCredentials } from '../../session/face.js';
import type { ToolSpec } from '../../storage/shapes/stored-options.js';
import {
  describedTool,
  MAX_MCP_TOOLS,
  type Mcp,
  type McpProblem,
  type OpenedServers,
  prefixOf,
  type PromptAccess,
  type RegisteredTool,
  RESOURCES_TOOL,
  searchTools,
  serverOf,
  type ToolRegistry,
} from '../../tools/face.js';
import {
  type Attempt,
  isWanted,
  type PromptSource,
  type SourceTools,
  type ToolOffer,
  withPrompt,
} from '../../turn/face.js';
import { deferTools } from './defer-tools.js';
import type { McpState } from './mcp-part.js';

export interface McpParts {
  mcp: Mcp;
  vault: SecretVault;
  registry: ToolRegistry;
}

/** Opens the servers of a turn. */
export async function openServers(
  attempt: Attempt,
  offer: ToolOffer,
  { mcp, vault, registry }: McpParts,
): Promise<SourceTools> {
  const { turn, session, lease } = attempt;
  const mcpServers = await openCredentials(vault, session);
  const opened = withinRequest(
    await mcp.openForTurn({
      ...compact({ agent: offer.persona.mcpServers }),
      session: { id: session.id, mcpServers },
      asks: offer.asks,
      projectRoot: offer.root.projectRoot,
      principalId: turn.principalId,
      listed: session.prefix?.tools ?? [],
      // Calls that wait for this process, and a prompt that the turn names, need their server.
      isPatient: turn.attempt > 1 || offer.options.prompt !== undefined,
      signal: lease.signal,
    }),
  );
  const { tools, resources, prompts, instructions, answered } = opened;
  const problems = mcp.freshProblems(session.id, opened.problems);
  const hasResources = resources !== undefined && isWanted(offer, RESOURCES_TOOL);
  return {
    ...offeredTools(attempt, offer, { tools, hasResources, registry }),
    notices: describeMcpProblems(problems),
    follow: (offered) => ({
      state: stateOf(attempt, offered, {
        listed: tools.map(({ name }) => name),
        answered,
        servers: instructions,
        undeferred: tools.flatMap(({ name, deferred }) =>
          deferred === false && isWanted(offer, name) ? [name] : [],
        ),
      }),
    }),
    context: compact({ resources }),
    ...(!isOfProject(offer.options.prompt, session, attempt.services.config) && {
      withMessage: (now) => withPrompt(now, promptSource(prompts)),
    }),
    close: opened.close,
  };
}

function promptSource(prompts: PromptAccess): PromptSource {
  return {
    head: ({ server, name }) => `The prompt ${name} of the MCP server ${server}:\n\n`,
    told: ({ server, name }) => ({
      kind: 'mcp-prompt',
      text: `The message has the text of the prompt ${name}, from the MCP server ${server}.`,
    }),
    get: (choice, signal) => prompts.get(choice, signal),
  };
}

/**
 * The tools of the MCP servers of a replay's agent and session, as the recorded session lists them for the model: no
 * connection is opened.
 */
export async function recordedTools(
  attempt: Attempt,
  offer: ToolOffer,
  { vault, registry }: McpParts,
): Promise<SourceTools> {
  const { prefix } = attempt.session;
  const mcpServers = await openCredentials(vault, attempt.session);
  const tools = recordedMcpTools(prefix?.tools ?? [], mcpServers, offer.persona);
  const isRecorded = prefix?.tools.some(({ name }) => name === RESOURCES_TOOL) === true;
  const hasResources = isRecorded && isWanted(offer, RESOURCES_TOOL);
  return {
    ...offeredTools(attempt, offer, { tools, hasResources, registry }),
    follow: (offered) => ({
      state: stateOf(attempt, offered, {
        listed: tools.map(({ name }) => name),
        answered: tools.map(({ name }) => serverOf(name) ?? ''),
        servers: prefix?.servers ?? [],
        undeferred: [],
      }),
    }),
  };
}

interface ServerFacts extends Pick<McpState, 'answered' | 'servers'> {
  /** Names of all tools, offered or not. */
  listed: readonly string[];
  /** Tools whose definitions say that they are not deferred. */
  undeferred: readonly string[];
}

/** What the prompt depends on. @param offered the tools that the model may call. */
function stateOf(
  { services, turn }: Attempt,
  offered: readonly RegisteredTool[],
  { listed, answered, servers, undeferred }: ServerFacts,
): McpState | undefined {
  if (listed.length === 0 && answered.length === 0) return undefined;
  const model = services.models.describe(turn.options.options.model);
  const kept = new Set(undeferred);
  return {
    tools: listed,
    answered,
    servers: servers.filter(({ name }) =>
      offered.some((tool) => tool.name.startsWith(prefixOf(name))),
    ),
    defer: (all) => deferTools(all, { terms: services.config, model, kept }),
  };
}

/** The tools that the turn wants of those there are. */
function offeredTools(
  { services }: Attempt,
  offer: ToolOffer,
  found: { tools: readonly RegisteredTool[]; hasResources: boolean; registry: ToolRegistry },
): Pick<SourceTools, 'tools' | 'bounds' | 'reserved' | 'named'> {
  const { tools, hasResources, registry } = found;
  const wanted = tools.filter(({ name }) => isWanted(offer, name));
  const isOwnSearch =
    services.config.toolSearch !== 'off' &&
    !services.models.describe(offer.options.model).toolSearch;
  const searches = isOwnSearch && wanted.length > 0 ? searchTools : [];
  const resources = hasResources ? registry.select([RESOURCES_TOOL]).tools : [];
  return {
    tools: [...resources, ...wanted],
    bounds: ['parent', 'ceiling'],
    reserved: [RESOURCES_TOOL, ...[...tools, ...searches].map(({ name }) => name)],
    // They count as named by the request or agent that gave the turn their server.
    named: [...wanted, ...resources].map(({ name }) => name),
  };
}

/** The tools that a request has room for; a problem of the first server that has others. */
function withinRequest(opened: OpenedServers): OpenedServers {
  const [first] = opened.tools.slice(MAX_MCP_TOOLS);
  if (first === undefined) return opened;
  const reason = `a request has ${MAX_MCP_TOOLS} tools of MCP servers at most: the others are left out`;
  return {
    ...opened,
    tools: opened.tools.slice(0, MAX_MCP_TOOLS),
    problems: [...opened.problems, { server: serverOf(first.name) ?? '', reason }],
  };
}

export function recordedMcpTools(
  listed: readonly ToolSpec[],
  mcpServers: Record<string, unknown> | null,
  { mcpServers: ofAgent }: Pick<Persona, 'mcpServers'>,
): RegisteredTool[] {
  const own = [...(ofAgent?.named ?? []), ...Object.keys(ofAgent?.own ?? {})];
  const servers = new Set([...own, ...Object.keys(mcpServers ?? {})]);
  // An agent that names no servers has all of the configuration.
  const isTheirs = (server: string): boolean => ofAgent === undefined || servers.has(server);
  return listed
    .filter(({ name }) => {
      const server = serverOf(name);
      return server !== undefined && isTheirs(server);
    })
    .map((tool) => describedTool(tool, 'does not run in a replay'));
}

/** Reasons of one server that its notice has at most. */
const MAX_REASONS = 5;

/** A notice for each server that is not there, or not with all of its tools. */
export function describeMcpProblems(problems: readonly McpProblem[]): NoticePosted[] {
  const servers = new Map<string, string[]>();
  for (const { server, reason } of problems) {
    servers.set(server, [...(servers.get(server) ?? []), reason]);
  }
  return [...servers].map(([server, reasons]): NoticePosted => {
    const more = reasons.length - MAX_REASONS;
    const shown = reasons.slice(0, MAX_REASONS).join('; ');
    return clientNotice(
      'message',
      'mcp-problem',
      `MCP server ${server}: ${shown}${more > 0 ? `; and ${more} more` : ''}`,
      { server },
    );
  });
}
