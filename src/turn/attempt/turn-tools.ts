import type { Persona } from '../../agents/parse-agent-file.js';
import type { PersonaLibrary } from '../../agents/persona-library.js';
import { matchText } from '../../governance/permissions/match-pattern.js';
import { stricterMode } from '../../options/permission-mode.js';
import { compact } from '../../platform/compact.js';
import type { OpenedRoot } from '../../session/project-roots.js';
import type { AnnouncedServer } from '../../storage/shapes/sent-request.js';
import type {
  ClientTool,
  PermissionLayer,
  PermissionMode,
  PermissionRules,
  ServerTool,
  ToolSpec,
} from '../../storage/shapes/stored-options.js';
import { BASH_TOOL } from '../../tools/builtin/bash.js';
import { searchTools } from '../../tools/builtin/find-tools.js';
import { RESOURCES_TOOL } from '../../tools/builtin/mcp-resources.js';
import { MEMORY_TOOL } from '../../tools/builtin/memory.js';
import { LOAD_SKILL, READ_SKILL_FILE } from '../../tools/builtin/skill-tools.js';
import { TASK_TOOL, taskSchema, taskTool } from '../../tools/builtin/task.js';
import { openPrompts, type PromptAccess } from '../../tools/mcp/prompts.js';
import type { Mcp } from '../../tools/mcp/mcp.js';
import { openTools, type RegisteredTool } from '../../tools/registry.js';
import type { ResourceAccess, ToolContext } from '../../tools/tool.js';
import { openCredentials } from '../../session/session-credentials.js';
import { MAX_DEFERRED, serverOf } from '../prompt/deferred-tools.js';
import type { ListedMcp } from '../prompt/mcp-changes.js';
import type { Attempt } from '../state/attempt.js';
import type { OfferedTools, Toolset, TurnPermissions } from '../state/attempt-context.js';
import { offerOf } from '../state/turn-row.js';
import { canAsk } from '../approvals/call-questions.js';
import {
  chooseServerTools,
  clientToolHidden,
  leaveOutServerTools,
  openClientTools,
  recordedMcpTools,
  serverToolMissing,
} from './foreign-tools.js';
import { emitOnce } from './start-events.js';
import { commandsLeftOut, describeMcpProblems, unsandboxed } from './tool-notices.js';
import { offerTools } from '../../governance/permissions/decide-permission.js';
import { chooseTurnSkills, noSkills, type TurnSkills } from './turn-skills.js';

const skillTools = [LOAD_SKILL, READ_SKILL_FILE];

/** Tools that a turn gets for what it has, not for their names. */
const givenOtherwise: readonly string[] = [TASK_TOOL, MEMORY_TOOL, RESOURCES_TOOL, ...skillTools];

/** Tools that are chosen and not yet opened. */
export interface PreparedTools extends OfferedTools {
  /** Tools by name, offered or not: a call of one that is not offered fails with the reason. */
  tools: RegisteredTool[];
  /** MCP servers of offered tools that say how these are used. */
  servers: readonly AnnouncedServer[];
  /** What MCP servers list, offered or not. */
  mcp: ListedMcp;
  /** MCP tools whose definitions say that they are not deferred. */
  undeferred: ReadonlySet<string>;
  /** The tools that the provider runs. */
  serverTools: ServerTool[];
  permissions: TurnPermissions;
  skills: TurnSkills;
  /** The resources of MCP servers. Absent: none has any. */
  resources?: ResourceAccess;
  /** The prompts of MCP servers. */
  prompts: PromptAccess;
  /** Releases the connections to MCP servers. */
  close(): Promise<void>;
}

/**
 * Chooses the tools that the options, the persona and the rules leave the turn: the server's, those of MCP servers,
 * the client's, the provider's.
 */
export async function prepareTools(
  attempt: Attempt,
  { persona, root }: { persona: Persona; root: OpenedRoot },
): Promise<PreparedTools> {
  const { services, turn, session, lease } = attempt;
  const { config, tools: registry } = services;
  const offer = offerOf(turn);
  const { options, provenance } = offer.options;
  const { modeCeiling, toolCeiling } = config;
  const isExplicit = provenance.tools === 'opts';
  const skills = await chooseTurnSkills(attempt, { persona, root });
  const { replay } = turn.request;
  // The ceiling may be lower than when the turn was accepted.
  const mode = stricterMode(options.mode, modeCeiling);
  const asks = canAsk(turn.request, [...(turn.childTerms?.layers ?? []), { mode }]);
  const offers = { asks, projectRoot: root.projectRoot };
  const opened = withinRequest(await openMcp(attempt, persona, offers));
  for (const notice of describeMcpProblems(opened.problems)) emitOnce(attempt, notice);
  const mcpTools = opened.tools.filter(({ name }) => isWanted(name, options.tools, isExplicit));
  const delegates = offer.delegation?.delegatedSubagents ?? [];
  const mayDelegate = turn.parentTurnId === null && delegates.length > 0;
  const hasMemory = options.memory === true && config.memory;
  const names = options.tools.filter((name) => !givenOtherwise.includes(name));
  if (mayDelegate) names.push(TASK_TOOL);
  if (hasMemory) names.push(MEMORY_TOOL);
  const isRecorded = session.prefix?.tools.some(({ name }) => name === RESOURCES_TOOL) === true;
  const hasResources =
    (opened.resources !== undefined || (replay !== undefined && isRecorded)) &&
    isWanted(RESOURCES_TOOL, options.tools, isExplicit);
  if (hasResources) names.push(RESOURCES_TOOL);
  const builtin = registry.select(names).tools;
  const taken = registry.list().filter(({ name }) => hasMemory || name !== MEMORY_TOOL);
  const isOwnSearch =
    config.toolSearch !== 'off' && !services.models.describe(options.model).toolSearch;
  const ownSearch = isOwnSearch && mcpTools.length > 0 ? searchTools : [];
  const others = [...taken, ...opened.tools, ...ownSearch];
  const clients = clientsOf(attempt, options.clientTools ?? [], others);
  const ours = [
    ...within(turn.childTerms?.tools, [...builtin, ...mcpTools]),
    // Skills are those of an agent, also where its parent has none.
    ...registry.select(skills.announced.length > 0 ? skillTools : []).tools,
  ];
  const below = [...ours.filter(({ name }) => isBelow(toolCeiling, name)), ...clients];
  const tools = replay?.tools === 'none' ? [] : below;
  const own: PermissionLayer = {
    name: options.persona,
    mode,
    // The tools of a server count as named by the request or agent that gave the turn that server.
    named: [
      ...(isExplicit ? options.tools : []),
      ...mcpTools.map(({ name }) => name),
      ...(hasResources ? [RESOURCES_TOOL] : []),
    ],
    agent: persona.permissions,
  };
  const permissions = {
    layers: [...(turn.childTerms?.layers ?? []), own],
    server: services.serverPermissions,
    session: sessionRules(session.permissions ?? {}, modeCeiling),
    grants: [...attempt.grants],
    root,
  };
  const described = mayDelegate ? await describeTask(services.personas, delegates) : undefined;
  const offered = offerTools(tools, permissions);
  const { shells } = services;
  if (shells.kind !== 'sandboxed' && offered.some(({ name }) => name === BASH_TOOL)) {
    emitOnce(attempt, unsandboxed(shells));
  }
  const listed = isExplicit ? [] : (persona.tools ?? []);
  for (const notice of commandsLeftOut({ listed, tools, offered, rules: permissions })) {
    emitOnce(attempt, notice);
  }
  const specs = offered.map(({ name, description, inputSchema, definedAs }): ToolSpec =>
    name === TASK_TOOL && described !== undefined
      ? { name, ...described }
      : { name, description, inputSchema, ...compact({ definedAs }) },
  );
  lease.signal.throwIfAborted();
  const clientTools = new Set(clients.map(({ name }) => name));
  const asked = isExplicit ? options.tools : (persona.tools ?? []);
  const { serverTools, missing } =
    replay === undefined
      ? chooseServerTools({
          asked,
          allowed: config.serverTools.filter(({ name }) => isBelow(toolCeiling, name)),
          model: services.models.describe(options.model),
          within: turn.childTerms?.tools,
          rules: permissions,
        })
      : leaveOutServerTools(asked);
  for (const one of missing) emitOnce(attempt, serverToolMissing(one));
  const { toolTimeoutMs: timeoutMs, toolOutputLimit: outputLimit } = config;
  const mayLoad = specs.some(({ name }) => name === LOAD_SKILL);
  const facts = { specs, clientTools, timeoutMs, outputLimit };
  return {
    ...facts,
    tools,
    servers: opened.instructions.filter(({ name }) =>
      specs.some((spec) => spec.name.startsWith(`mcp__${name}__`)),
    ),
    mcp: { tools: opened.tools.map(({ name }) => name), answered: opened.answered },
    undeferred: new Set(
      mcpTools.flatMap(({ name, deferred }) => (deferred === false ? [name] : [])),
    ),
    serverTools,
    permissions,
    skills: mayLoad ? skills : noSkills,
    ...compact({ resources: opened.resources }),
    prompts: opened.prompts,
    close: opened.close,
  };
}

/** The tools of MCP servers. A replay opens no connection. */
async function openMcp(
  { services, turn, session, lease }: Attempt,
  persona: Persona,
  offers: { asks: boolean; projectRoot: string },
): ReturnType<Mcp['openForTurn']> {
  const mcpServers = await openCredentials(services.vault, session);
  if (turn.request.replay !== undefined) {
    const { prefix } = session;
    const tools = recordedMcpTools({ prefix, mcpServers }, persona);
    return {
      tools,
      problems: [],
      answered: tools.map(({ name }) => serverOf(name) ?? ''),
      instructions: session.prefix?.servers ?? [],
      prompts: openPrompts([]),
      close: async () => {},
    };
  }
  return services.mcp.openForTurn({
    ...compact({ agent: persona.mcpServers }),
    session: { id: session.id, mcpServers },
    ...offers,
    principalId: turn.principalId,
    listed: session.prefix?.tools ?? [],
    signal: lease.signal,
  });
}

/** The tools that a request has room for; a problem of the first server that has others. */
function withinRequest(
  opened: Awaited<ReturnType<Mcp['openForTurn']>>,
): Awaited<ReturnType<Mcp['openForTurn']>> {
  const [first] = opened.tools.slice(MAX_DEFERRED);
  if (first === undefined) return opened;
  const reason = `a request has ${MAX_DEFERRED} tools of MCP servers at most: the others are left out`;
  return {
    ...opened,
    tools: opened.tools.slice(0, MAX_DEFERRED),
    problems: [...opened.problems, { server: serverOf(first.name) ?? '', reason }],
  };
}

/** Describes the tool that delegates, with the agents that the turn may delegate to. */
async function describeTask(
  personas: PersonaLibrary,
  delegates: readonly string[],
): Promise<Omit<ToolSpec, 'name'>> {
  const agents = await Promise.all(delegates.map((name) => personas.load(name)));
  const lines = agents.map(
    ({ name, description }) => `- ${name}${description === undefined ? '' : `: ${description}`}`,
  );
  return {
    description: `${taskTool.description}\nAgents:\n${lines.join('\n')}`,
    inputSchema: taskSchema({ enum: [...delegates] }),
  };
}

/** The client's tools; a notice for each whose name is taken, as its sender could not know. */
function clientsOf(
  attempt: Attempt,
  given: readonly ClientTool[],
  ours: readonly RegisteredTool[],
): RegisteredTool[] {
  const { tools, hidden } = openClientTools(given, new Set(ours.map(({ name }) => name)));
  for (const name of hidden) emitOnce(attempt, clientToolHidden(name));
  return tools;
}

/** A turn that lists its tools lists those of MCP servers too: `mcp__name`, or each by its name. */
function isWanted(tool: string, listed: readonly string[], isExplicit: boolean): boolean {
  if (!isExplicit) return true;
  return listed.some((name) => tool === name || tool.startsWith(`${name}__`));
}

/** @param ceiling names of tools, `*` for any characters; undefined: all. */
function isBelow(ceiling: readonly string[] | undefined, name: string): boolean {
  return ceiling === undefined || ceiling.some((allowed) => matchText(allowed, name));
}

/** Rules of a session that allow calls are as good as a mode that asks nobody. */
function sessionRules(
  { allow, ...rest }: PermissionRules,
  ceiling: PermissionMode,
): PermissionRules {
  return allow === undefined || ceiling !== 'acceptEdits' ? rest : { allow, ...rest };
}

/** A subagent has no tool that its parent does not have. */
function within(
  allowed: readonly string[] | undefined,
  tools: readonly RegisteredTool[],
): RegisteredTool[] {
  return tools.filter(({ name }) => allowed === undefined || allowed.includes(name));
}

/** @param hasDeferred whether tools are deferred: a model without the provider's search finds them by ours. */
export function openToolset(
  prepared: PreparedTools,
  hasDeferred: boolean,
  openContext: () => ToolContext,
): Toolset {
  const { specs, clientTools, timeoutMs, outputLimit } = prepared;
  const searches = hasDeferred ? searchTools : [];
  const tools = openTools([...prepared.tools, ...searches], openContext);
  return {
    specs,
    clientTools,
    timeoutMs,
    outputLimit,
    get: (name) => tools.get(name),
    close: async () => {
      try {
        await tools.close();
      } finally {
        await prepared.close();
      }
    },
  };
}
