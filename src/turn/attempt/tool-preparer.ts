import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { SERVER_PERMISSIONS } from '../../governance/permissions/permission-rules.js';
import { compact } from '../../platform/compact.js';
import { ModelCatalogue } from '../../provider/model-catalogue.js';
import { leaveOutServerTools, recordedMcpTools } from '../replay/replay-tools.js';
import { MCP, type Mcp } from '../../tools/mcp/mcp.js';
import { SHELLS, describeShells, type Shells } from '../../tools/shells.js';
import { PersonaLibrary } from '../../agents/persona-library.js';
import type { Persona } from '../../agents/parse-agent-file.js';
import { clientNotice, type NoticePosted } from '../../events/turn-event.js';
import type {
  PermissionLayer,
  PermissionMode,
  PermissionRules,
  ClientTool,
  ToolSpec,
} from '../../storage/shapes/stored-options.js';
import { matchText } from '../../governance/permissions/match-pattern.js';
import { offerTools } from '../../governance/permissions/decide-permission.js';
import { stricterMode } from '../../options/permission-mode.js';
import type { OpenedRoot } from '../../session/project-roots.js';
import { LOAD_SKILL, READ_SKILL_FILE } from '../../tools/builtin/skill-tools.js';
import { BASH_TOOL } from '../../tools/builtin/bash.js';
import { MEMORY_TOOL } from '../../tools/builtin/memory.js';
import { TASK_TOOL, taskSchema, taskTool } from '../../tools/builtin/task.js';
import type { McpProblem } from '../../tools/mcp/definitions.js';
import { ToolRegistry, type RegisteredTool } from '../../tools/registry.js';
import { clientToolHidden, openClientTools } from '../submit/client-tools.js';
import { commandsLeftOut } from './commands-left-out.js';
import { chooseServerTools, serverToolMissing } from '../loop/server-tools.js';
import { noSkills, SkillChooser } from './skill-chooser.js';
import { emitOnce } from './emit-once.js';
import type { EquippedTools } from './toolset.js';
import type { Attempt } from '../state/attempt.js';
import { offerOf } from '../state/turn-row.js';

const skillTools = [LOAD_SKILL, READ_SKILL_FILE];

/** Tools that a turn gets for what it has, not for their names. */
const givenOtherwise: readonly string[] = [TASK_TOOL, MEMORY_TOOL, ...skillTools];

/** Prepares the tools of an attempt: the server's, those of MCP servers, the client's, the provider's. */
@Injectable()
export class ToolPreparer {
  constructor(
    private readonly registry: ToolRegistry,
    @Inject(MCP) private readonly mcp: Mcp,
    @Inject(SHELLS) private readonly shells: Shells,
    private readonly personas: PersonaLibrary,
    private readonly skills: SkillChooser,
    private readonly models: ModelCatalogue,
    @Inject(SERVER_PERMISSIONS) private readonly serverPermissions: PermissionRules,
    @Inject(CONFIG)
    private readonly config: Pick<
      Config,
      'memory' | 'modeCeiling' | 'toolCeiling' | 'serverTools' | 'toolTimeoutMs' | 'toolOutputLimit'
    >,
  ) {}

  /** Opens the tools that the options, the persona and the rules leave the turn. */
  async prepare(
    attempt: Attempt,
    { persona, root }: { persona: Persona; root: OpenedRoot },
  ): Promise<EquippedTools> {
    const { turn, session, lease } = attempt;
    const offer = offerOf(turn);
    const { options, provenance } = offer.options;
    const { modeCeiling, toolCeiling } = this.config;
    const isExplicit = provenance.tools === 'opts';
    const skills = await this.skills.choose(attempt, { persona, root });
    const { replay } = turn.request;
    const opened = await this.#openMcp(attempt, persona);
    for (const notice of noticesOf(opened.problems)) emitOnce(attempt, notice);
    const mcpTools = opened.tools.filter(({ name }) => isWanted(name, options.tools, isExplicit));
    const delegates = offer.delegation?.delegatedSubagents ?? [];
    const mayDelegate = turn.parentTurnId === null && delegates.length > 0;
    const hasMemory = options.memory === true && this.config.memory;
    const names = options.tools.filter((name) => !givenOtherwise.includes(name));
    if (mayDelegate) names.push(TASK_TOOL);
    if (hasMemory) names.push(MEMORY_TOOL);
    const builtin = this.registry.select(names).tools;
    const taken = this.registry.list().filter(({ name }) => hasMemory || name !== MEMORY_TOOL);
    const clients = clientsOf(attempt, options.clientTools ?? [], [...taken, ...opened.tools]);
    const ours = [
      ...within(turn.childTerms?.tools, [...builtin, ...mcpTools]),
      // Skills are those of an agent, also where its parent has none.
      ...this.registry.select(skills.told.length > 0 ? skillTools : []).tools,
    ];
    const below = [...ours.filter(({ name }) => isBelow(toolCeiling, name)), ...clients];
    const tools = replay?.tools === 'none' ? [] : below;
    const own: PermissionLayer = {
      name: options.persona,
      // The ceiling may be lower than when the turn was accepted.
      mode: stricterMode(options.mode, modeCeiling),
      // The tools of a server count as named by whoever gave the turn that server.
      named: [...(isExplicit ? options.tools : []), ...mcpTools.map(({ name }) => name)],
      agent: persona.permissions,
    };
    const permissions = {
      layers: [...(turn.childTerms?.layers ?? []), own],
      server: this.serverPermissions,
      session: sessionRules(session.permissions ?? {}, modeCeiling),
      grants: [...attempt.grants],
      root,
    };
    const described = mayDelegate ? await this.#describeTask(delegates) : undefined;
    const offered = offerTools(tools, permissions);
    const { shells } = this;
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
            allowed: this.config.serverTools.filter(({ name }) => isBelow(toolCeiling, name)),
            model: this.models.describe(options.model),
            within: turn.childTerms?.tools,
            rules: permissions,
          })
        : leaveOutServerTools(asked);
    for (const one of missing) emitOnce(attempt, serverToolMissing(one));
    const { toolTimeoutMs: timeoutMs, toolOutputLimit: outputLimit } = this.config;
    const mayLoad = specs.some(({ name }) => name === LOAD_SKILL);
    const facts = { specs, clientTools, timeoutMs, outputLimit };
    return {
      ...facts,
      tools,
      servers: opened.instructions.filter(({ name }) =>
        specs.some((spec) => spec.name.startsWith(`mcp__${name}__`)),
      ),
      serverTools,
      permissions,
      skills: mayLoad ? skills : noSkills,
      close: opened.close,
    };
  }

  /** The tools of MCP servers. A replay opens no connection. */
  async #openMcp(
    { turn, session, lease }: Attempt,
    persona: Persona,
  ): ReturnType<Mcp['openForTurn']> {
    if (turn.request.replay !== undefined) {
      return {
        tools: recordedMcpTools(session, persona),
        problems: [],
        instructions: session.prefix?.servers ?? [],
        close: async () => {},
      };
    }
    return this.mcp.openForTurn({
      ...compact({ agent: persona.mcpServers }),
      session,
      signal: lease.signal,
    });
  }

  /** Describes the tool that delegates, with the agents that the turn may delegate to. */
  async #describeTask(delegates: readonly string[]): Promise<Omit<ToolSpec, 'name'>> {
    const agents = await Promise.all(delegates.map((name) => this.personas.load(name)));
    const lines = agents.map(
      ({ name, description }) => `- ${name}${description === undefined ? '' : `: ${description}`}`,
    );
    return {
      description: `${taskTool.description}\nAgents:\n${lines.join('\n')}`,
      inputSchema: taskSchema({ enum: [...delegates] }),
    };
  }
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

function unsandboxed(shells: Exclude<Shells, { kind: 'sandboxed' }>): NoticePosted {
  const isOff = shells.kind === 'off';
  return clientNotice(
    'message',
    isOff ? 'commands-off' : 'commands-unsandboxed',
    isOff ? shells.explanation : `bash is ${describeShells(shells)}`,
    { reason: shells.reason },
  );
}

/** Reasons of one server that its notice has at most. */
const MOST_REASONS = 5;

/** A notice for each server that is not there, or not with all of its tools. */
function noticesOf(problems: readonly McpProblem[]): NoticePosted[] {
  const servers = new Map<string, string[]>();
  for (const { server, reason } of problems) {
    servers.set(server, [...(servers.get(server) ?? []), reason]);
  }
  return [...servers].map(([server, reasons]): NoticePosted => {
    const more = reasons.length - MOST_REASONS;
    const shown = reasons.slice(0, MOST_REASONS).join('; ');
    return clientNotice(
      'message',
      'mcp-problem',
      `MCP server ${server}: ${shown}${more > 0 ? `; and ${more} more` : ''}`,
      { server },
    );
  });
}
