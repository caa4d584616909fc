import type { TurnOptions, WantedSession } from '../client/turnpike-client.js';
import type { ClientTool, PermissionRules } from '../storage/shapes/stored-options.js';
import { compact } from '../platform/compact.js';
import type { RuleList } from '../project-files/convert-rule.js';
import { isAboutWhole } from '../governance/permissions/match-rule.js';
import { deniedTools, toOurRules } from './allowed-tools.js';
import { askUserTool } from './ask-user.js';
import { takesProject } from './check-options.js';
import { hasHook, mayMatchMcp } from './match-hooks.js';
import { delegating, planAgents } from './plan-agents.js';
import type { McpServerConfig, Options, SystemPrompt } from './query-options.js';
import type { PermissionMode } from './sdk-messages.js';
import { UnsupportedError } from './sdk-errors.js';
import type { SdkTool } from './sdk-tools.js';
import { ASK_USER, isMissing, standardTools, toOurName, toTheirName } from './tool-names.js';

/** Model calls of a turn that sets no limit: enough for hours of work, and an end for a loop. */
const MAX_TURNS = 500;

/** The tool that delegates. */
const TASK = 'task';

/** Replies that may be written anew because they did not match the schema. */
const REPAIRS = 5;

/** Tools that the provider runs, of which no rule can ask. */
const ofProvider = ['web_search', 'web_fetch', 'code_execution'];

/** What the options of a query come to, before a request is sent. */
export interface QueryPlan {
  /** The session that is made where none is resumed. */
  session: WantedSession;
  /** The rules of the session. */
  rules: PermissionRules;
  /** The rules that hooks and `canUseTool` are judged by: those of the program alone. */
  ownRules: PermissionRules;
  /** Rules of `rules` that ask for hooks alone. */
  hookAsks: readonly string[];
  /** What turns have beside their mode, model and budget. */
  turn: TurnOptions;
  /** What the application says to the model. */
  instructions: string | undefined;
  /** The server's names of the tools that are offered. */
  tools: readonly string[];
  /** Tools of the caller's process, by the names that the model has for them. */
  sdkTools: ReadonlyMap<string, SdkTool>;
  /** Names of the MCP servers. */
  servers: readonly string[];
  mode: PermissionMode;
}

/** The plan of a query. Pure. @throws UnsupportedError for what is not honoured. */
export function planQuery(options: Options): QueryPlan {
  const { settings = {}, mcpServers = {} } = options;
  checkSettings(settings);
  const mode = options.permissionMode ?? settings.permissions?.defaultMode ?? 'default';
  checkBypass(mode, options);
  const tools = toolsOf(options);
  const { own, ofServer } = splitServers(mcpServers);
  const ownRules = rulesOf(options, { mode, tools });
  const hookAsks = asksForHooks(options, tools);
  const ownServers = Object.keys(mcpServers).filter((name) => !(name in ofServer));
  const rules = sessionRules(ownRules, hookAsks, ownServers);
  // What a rule denies as a whole is not offered.
  const isDenied = (name: string): boolean =>
    (ownRules.deny ?? []).some((rule) => isAboutWhole(rule, name));
  const offered = [...own].filter(([name]) => !isDenied(name));
  const clientTools = offered.map(([name, { description, inputSchema }]): ClientTool => ({
    name,
    description,
    inputSchema,
  }));
  const asks = asksUser(options) ? [askUserTool] : [];
  return {
    session: compact({
      projectRoot: options.cwd,
      persona: options.agent,
      ...(isEmpty(rules) ? {} : { permissions: rules as Readonly<Record<string, unknown>> }),
      ...(Object.keys(ofServer).length === 0 ? {} : { mcpServers: ofServer }),
      agents: options.agents && planAgents(options.agents, options.cwd),
      projectFiles: takesProject(options) ? ('claude' as const) : undefined,
    }),
    rules,
    ownRules,
    hookAsks,
    turn: turnOf(
      options,
      [...tools, ...mcpNames(options, ofServer, own)],
      [...clientTools, ...asks],
    ),
    instructions: instructionsOf(options.systemPrompt),
    tools,
    sdkTools: own,
    servers: Object.keys(mcpServers),
    mode,
  };
}

function turnOf(options: Options, tools: string[], clientTools: ClientTool[]): TurnOptions {
  const { fallbackModel, maxTurns, outputFormat, skills, thinking, effort } = options;
  return compact({
    tools,
    fallbackModel,
    skills,
    // The call after the last one with tools is a reply without: the turn ends with what it has.
    maxTurns: (maxTurns ?? MAX_TURNS) + 1,
    onDisconnect: 'continue' as const,
    thinking: thinkingOf(thinking, effort),
    output:
      outputFormat === undefined ? undefined : { schema: outputFormat.schema, repairs: REPAIRS },
    clientTools: clientTools.length === 0 ? undefined : clientTools,
    subagentGovernance: tools.includes(TASK) ? delegating : undefined,
  });
}

function thinkingOf(
  thinking: Options['thinking'],
  effort: Options['effort'],
): TurnOptions['thinking'] | undefined {
  if (thinking?.type === 'disabled') return false;
  if (thinking !== undefined && 'budgetTokens' in thinking) {
    throw new UnsupportedError('thinking.budgetTokens', 'set effort');
  }
  if (thinking === undefined && effort === undefined) return undefined;
  const chosen = compact({ effort, display: thinking?.display });
  return Object.keys(chosen).length === 0 ? true : chosen;
}

function instructionsOf(prompt: SystemPrompt | undefined): string | undefined {
  if (prompt === undefined || typeof prompt === 'string') return prompt;
  if ('type' in prompt) return prompt.append;
  return prompt.join('\n\n');
}

/** The tools that the turns are offered, by the server's names. */
function toolsOf({ tools, agents, allowedTools = [], disallowedTools = [] }: Options): string[] {
  const named = Array.isArray(tools) ? tools : undefined;
  for (const name of named ?? []) {
    if (isMissing(name)) {
      throw new UnsupportedError(`The tool ${name}`, 'leave it out of tools; no server has it');
    }
  }
  const asked = named?.filter((name) => name !== ASK_USER).map(toOurName) ?? [
    ...standardTools,
    // What is allowed and not standard is asked for: tools of the host application, and of the provider.
    ...allowedTools
      .filter((rule) => /^[\w-]+$/.test(rule) && !rule.startsWith('mcp__') && rule !== ASK_USER)
      .filter((rule) => !isMissing(rule))
      .map(toOurName),
  ];
  const denied = new Set(deniedTools(disallowedTools, 'disallowedTools'));
  // Who gives subagents wants them, unless a list leaves out what calls them.
  const delegates = named === undefined && agents !== undefined ? [TASK] : [];
  return [...new Set([...asked, ...delegates])].filter((name) => !denied.has(name));
}

/** The servers of the query by the names that a turn has for all their tools, and tools of the operator's that are allowed. */
function mcpNames(
  { allowedTools = [] }: Options,
  ofServer: Readonly<Record<string, unknown>>,
  own: ReadonlyMap<string, SdkTool>,
): string[] {
  const servers = Object.keys(ofServer).map((name) => `mcp__${name}`);
  const allowed = allowedTools
    .map((rule) => rule.replace(/__\*$/, ''))
    .filter((rule) => /^mcp__[\w-]+$/.test(rule))
    .filter(
      (rule) => ![...own.keys()].some((name) => name === rule || name.startsWith(`${rule}__`)),
    );
  return [...new Set([...servers, ...allowed])];
}

function asksUser({ tools, disallowedTools = [] }: Options): boolean {
  const isNamed = Array.isArray(tools) && tools.includes(ASK_USER);
  return isNamed && !disallowedTools.includes(ASK_USER);
}

function rulesOf(
  { allowedTools = [], disallowedTools = [], settings = {}, cwd }: Options,
  { mode, tools }: { mode: PermissionMode; tools: readonly string[] },
): PermissionRules {
  const { allow = [], ask = [], deny = [] } = settings.permissions ?? {};
  const all = (
    list: RuleList,
    lists: readonly [option: string, rules: readonly string[]][],
  ): string[] => {
    const converted = lists.flatMap(([option, given]) =>
      given
        .filter((rule) => rule !== ASK_USER)
        .flatMap((rule) => toOurRules(rule, { option, list, cwd })),
    );
    return [...new Set(converted)].filter((rule) => !ofProvider.includes(rule));
  };
  const bypassed = mode === 'bypassPermissions' ? [...tools, 'mcp__*'] : [];
  return {
    allow: all('allow', [
      ['allowedTools', allowedTools],
      ['settings.permissions.allow', allow],
      ['permissionMode', bypassed.map(toTheirName)],
    ]),
    ask: all('ask', [['settings.permissions.ask', ask]]),
    deny: all('deny', [
      ['disallowedTools', disallowedTools],
      ['settings.permissions.deny', deny],
    ]),
  };
}

/** The server asks before each call that a hook is to see first; of MCP servers it may have some of its own. */
function asksForHooks({ hooks }: Options, tools: readonly string[]): string[] {
  const matchers = hooks?.PreToolUse ?? [];
  const seen = [...tools, 'load_skill'].filter((name) => hasHook(matchers, toTheirName(name)));
  const ofMcp = mayMatchMcp(matchers) ? ['mcp__*'] : [];
  return [...seen.filter((name) => !ofProvider.includes(name)), ...ofMcp];
}

/** Rules about tools of the caller's process are the caller's alone. */
function sessionRules(
  rules: PermissionRules,
  hookAsks: readonly string[],
  ownServers: readonly string[],
): PermissionRules {
  const isServers = (rule: string): boolean =>
    !ownServers.some((name) => rule.startsWith(`mcp__${name}__`));
  const { allow = [], ask = [], deny = [] } = rules;
  const lists = {
    allow: allow.filter(isServers),
    ask: [...ask, ...hookAsks],
    deny: deny.filter(isServers),
  };
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
}

function isEmpty(rules: PermissionRules): boolean {
  return Object.keys(rules).length === 0;
}

/** The tools of servers of the caller's process by their names, and the servers that Turnpike connects to. */
function splitServers(given: Readonly<Record<string, McpServerConfig>>): {
  own: Map<string, SdkTool>;
  ofServer: Record<string, unknown>;
} {
  const own = new Map<string, SdkTool>();
  const ofServer: Record<string, unknown> = {};
  for (const [server, config] of Object.entries(given)) {
    if (config.type !== 'sdk') {
      ofServer[server] = config;
      continue;
    }
    if (!Array.isArray(config.tools)) {
      throw new UnsupportedError(
        `mcpServers.${server}`,
        'make it with createSdkMcpServer of turnpike/agent-sdk',
      );
    }
    for (const one of config.tools) own.set(`mcp__${server}__${one.name}`, one);
  }
  return { own, ofServer };
}

function checkBypass(mode: PermissionMode, options: Options): void {
  if (mode !== 'bypassPermissions' || options.allowDangerouslySkipPermissions === true) return;
  throw new UnsupportedError(
    'permissionMode bypassPermissions by itself',
    'set allowDangerouslySkipPermissions, too: it allows all tools of the query',
  );
}

function checkSettings(settings: object): void {
  const known = ['permissions', 'model'];
  if (typeof settings !== 'object') {
    throw new UnsupportedError(
      'settings as a file',
      'give its permissions and its model as an object',
    );
  }
  const other = Object.keys(settings).find((name) => !known.includes(name));
  if (other !== undefined) {
    throw new UnsupportedError(`settings.${other}`, 'settings may have permissions and model');
  }
}
