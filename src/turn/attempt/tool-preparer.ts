import type { Persona } from '../../agents/parse-agent-file.js';
import type { NoticePosted } from '../../events/turn-event.js';
import type { PermissionLayer, PermissionRules } from '../../storage/shapes/stored-permissions.js';
import { matchText } from '../../governance/permissions/match-pattern.js';
import { offerTools } from '../../governance/permissions/offer-tools.js';
import { stricterMode } from '../../options/permission-mode.js';
import type { ToolSpec, ServerTool } from '../../storage/shapes/stored-tools.js';
import type { OpenedRoot } from '../../session/project-roots.js';
import { BASH_TOOL } from '../../tools/builtin/bash.js';
import { TASK_TOOL } from '../../tools/builtin/task.js';
import type { McpProblem } from '../../tools/mcp/servers/mcp-server.js';
import type { RegisteredTool } from '../../tools/registry.js';
import { loadGrants } from '../approvals/load-grants.js';
import { clientToolHidden, openClientTools } from '../submit/client-tools.js';
import { commandsLeftOut } from './commands-left-out.js';
import { chooseServerTools, serverToolMissing } from '../loop/server-tools.js';
import { shellsNotice } from './shells-notice.js';
import { describeTask } from '../subagents/describe-task.js';
import type { Attempt, TurnRun } from '../state/turn-run.js';
import type { Ceiling, TurnServices } from '../state/turn-services.js';

export interface EquippedTools {
  /** What the turn can call, offered or not: of one that is not, the model reads why. */
  tools: RegisteredTool[];
  specs: ToolSpec[];
  /** Those that the provider runs. */
  serverTools: ServerTool[];
  /** Names of those that whoever sent the turn runs. */
  clientTools: ReadonlySet<string>;
  permissions: TurnRun['permissions'];
  /** Gives back what the tools are reached through. */
  close(): Promise<void>;
}

/** The tools of a turn: this server's and those of its MCP servers, as far as its rules let them. */
export async function prepareTools(
  services: TurnServices,
  attempt: Attempt,
  { persona, root }: { persona: Persona; root: OpenedRoot },
): Promise<EquippedTools> {
  const { turn, session, lease } = attempt;
  const { options, provenance } = turn.options;
  const isExplicit = provenance.tools === 'opts';
  const opened = await openMcpTools(services, attempt, persona);
  for (const problem of opened.problems) sayOnce(attempt, serverMissing(problem));
  const mcpTools = opened.tools.filter(({ name }) => isWanted(name, options.tools, isExplicit));
  const delegates = turn.delegation?.delegatedSubagents ?? [];
  const mayDelegate = turn.parentTurnId === null && delegates.length > 0;
  const names = options.tools.filter((name) => name !== TASK_TOOL);
  const builtin = services.tools.select(mayDelegate ? [...names, TASK_TOOL] : names).tools;
  const clients = clientsOf(attempt, [...services.tools.list(), ...opened.tools]);
  const { ceiling } = services.settings;
  const ours = within(turn.childTerms?.tools, [...builtin, ...mcpTools]);
  const tools = [...ours.filter(({ name }) => isBelow(ceiling, name)), ...clients];
  const own: PermissionLayer = {
    name: options.persona,
    // A turn that was accepted before the operator said less.
    mode: stricterMode(options.mode, ceiling.mode),
    // Who gave the turn its servers named their tools.
    named: [...(isExplicit ? options.tools : []), ...mcpTools.map(({ name }) => name)],
    agent: persona.permissions,
  };
  const permissions = {
    layers: [...(turn.childTerms?.layers ?? []), own],
    server: services.settings.serverPermissions,
    session: sessionRules(session.permissions ?? {}, ceiling),
    grants: await loadGrants(services.db, turn.childTerms?.sessionId ?? session.id),
    root,
  };
  const described = mayDelegate ? await describeTask(services.personas, delegates) : undefined;
  const offered = offerTools(tools, permissions);
  const unsafe = offered.some(({ name }) => name === BASH_TOOL)
    ? shellsNotice(services.shells)
    : undefined;
  if (unsafe !== undefined) sayOnce(attempt, unsafe);
  const listed = isExplicit ? [] : (persona.tools ?? []);
  for (const notice of commandsLeftOut({ listed, tools, offered, rules: permissions })) {
    sayOnce(attempt, notice);
  }
  const specs = offered.map(({ name, description, inputSchema }): ToolSpec =>
    name === TASK_TOOL && described !== undefined
      ? { name, ...described }
      : { name, description, inputSchema },
  );
  lease.signal.throwIfAborted();
  const clientTools = new Set(clients.map(({ name }) => name));
  const { serverTools, missing } = chooseServerTools({
    asked: isExplicit ? options.tools : (persona.tools ?? []),
    allowed: services.settings.serverTools.filter(({ name }) => isBelow(ceiling, name)),
    model: services.models.describe(options.model),
    within: turn.childTerms?.tools,
    rules: permissions,
  });
  for (const one of missing) sayOnce(attempt, serverToolMissing(one));
  return { tools, specs, serverTools, clientTools, permissions, close: opened.close };
}

async function openMcpTools(
  { mcp }: TurnServices,
  { session, lease }: Attempt,
  { mcpServers }: Persona,
) {
  return mcp.openForTurn({
    ...(mcpServers === undefined ? {} : { agent: mcpServers }),
    session,
    signal: lease.signal,
  });
}

/** A client's tool whose name is taken is said to be left out: its sender could not know. */
function clientsOf(attempt: Attempt, ours: readonly RegisteredTool[]): RegisteredTool[] {
  const given = attempt.turn.options.options.clientTools ?? [];
  const { tools, hidden } = openClientTools(given, new Set(ours.map(({ name }) => name)));
  for (const name of hidden) sayOnce(attempt, clientToolHidden(name));
  return tools;
}

/** A turn that lists its tools has those of a server it lists: `mcp__name`, or each by its name. */
function isWanted(tool: string, listed: readonly string[], isExplicit: boolean): boolean {
  if (!isExplicit) return true;
  return listed.some((name) => tool === name || tool.startsWith(`${name}__`));
}

function isBelow({ tools }: Ceiling, name: string): boolean {
  return tools === undefined || tools.some((allowed) => matchText(allowed, name));
}

/** What a session allows itself is as good as a mode that asks nobody. */
function sessionRules({ allow, ...rest }: PermissionRules, { mode }: Ceiling): PermissionRules {
  return allow === undefined || mode !== 'acceptEdits' ? rest : { allow, ...rest };
}

/** A subagent has no tool that its parent does not have. */
function within(
  allowed: readonly string[] | undefined,
  tools: readonly RegisteredTool[],
): RegisteredTool[] {
  return tools.filter(({ name }) => allowed === undefined || allowed.includes(name));
}

/** An earlier attempt may have said it. */
function sayOnce({ said, writer }: Attempt, notice: NoticePosted): void {
  const isSaid = said.some(
    (event) =>
      event.type === 'notice.posted' && event.kind === notice.kind && event.text === notice.text,
  );
  if (!isSaid) writer.emit(notice);
}

function serverMissing({ server, reason }: McpProblem): NoticePosted {
  return {
    type: 'notice.posted',
    kind: 'mcp-problem',
    level: 'message',
    text: `MCP server ${server}: ${reason}`,
    metadata: { server },
    seenByModel: false,
  };
}
