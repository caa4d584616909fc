import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import type {
  AgentConfig,
  PermissionMode,
  PermissionRules,
  AttachmentsAs,
  OutputTerms,
  ThinkingChoice,
} from '../storage/shapes/stored-options.js';
import {
  parseLeniently,
  parseValue,
  within,
  type Parsed,
  type Fault,
} from '../platform/parsing/parse-value.js';
import { compact } from '../platform/compact.js';
import { type AgentServers, parseDefinitions } from '../tools/mcp/definitions.js';
import {
  atLines,
  splitFrontMatter,
  unreadableMatter,
  type FrontMatter,
  type LineProblem,
} from '../platform/parsing/front-matter.js';
import { isPlainObject } from '../platform/json.js';
import { askText } from '../governance/permissions/approver-rules.js';
import { agentShape, splitLists, type AgentFields } from './agent-shape.js';

/** An agent or persona, from its validated file. */
export interface Persona {
  name: string;
  /** Path below the instruction root, as `agents/reader.md`. */
  file: string;
  /** The name for people, in the console and in lists. */
  title?: string;
  description?: string;
  /** Names of its tools; an empty list means none. Absent: the default applies. */
  tools?: readonly string[];
  /** Most model calls of a turn, 1 or more. */
  maxTurns?: number;
  /** Limits of its turns. */
  agentConfig?: Partial<AgentConfig>;
  /** Name of the decision tree that ends its turns. Absent: `default`. */
  decisionTree?: string;
  /** Names of the skills that it has; an empty list means none. Absent: all. */
  skills?: readonly string[];
  /** Names it may delegate to. */
  subagents: readonly string[];
  /** Permission mode of a turn, unless the turn or its session sets one. */
  permissionMode?: PermissionMode;
  /** Permission rules for its tools; a list without rules is absent. */
  permissions: PermissionRules;
  /** MCP servers of its turns. Absent: all that the server has. */
  mcpServers?: AgentServers;
  /** Whether the model gets files unchanged, or the text in them. Absent: `native`. */
  attachments?: AttachmentsAs;
  /** Whether replies cite documents. Absent: false. */
  citations?: boolean;
  /** Whether the agent's turns have a memory. Absent: false. */
  memory?: boolean;
  /**
   * Whether the agent's turns think, and how much. Absent: the request or the preferences choose.
   */
  thinking?: ThinkingChoice;
  /** The object that turns end with; absent: they end with text. */
  output?: OutputTerms;
  /** The model that lists show; a turn's model is not chosen from it. */
  model?: string;
  /** The model that is used when the turn's own does not answer. */
  fallbackModel?: string;
  /** The models after it, in their order. */
  fallbackModels?: string[];
  /** 0, 1 (talks to a person) or 2 (may be delegated to). */
  agentType?: number;
  agentClass?: string;
  /** The first 12 hex digits of the SHA-256 of its file, or of its definition in JSON. Absent: it could not be read. */
  version?: string;
  /** The system prompt: the file without its front matter. */
  prompt: string;
  /** Faults of the file, each of which was left out, in the order of the lines. */
  problems: readonly LineProblem[];
}

/** A parsed file, without the agent's name and path, which are the file's. */
export interface AgentFile {
  content: Omit<Persona, 'name' | 'file'>;
  /** Names of other things in the file, to be checked where the file is used. */
  references: readonly Reference[];
}

/** Older names of fields, and the names that replaced them. */
const renamed: readonly (readonly [old: string, path: readonly string[]])[] = [
  ['agent_config', ['limits']],
  ['auto_approve_tools', ['permissions', 'allow']],
  ['disallowed_tools', ['permissions', 'deny']],
];

/**
 * Parses the file of an agent or a persona. Never throws: a fault is left out and named in
 * `problems`.
 */
export function parseAgentFile(file: string): AgentFile {
  return parseAgent(splitFrontMatter(file), {
    toWrite: 'write it below the front matter',
    version: versionOf(file),
  });
}

/** The agent of a file whose bytes are no text. @param fault the end of a sentence about the file. */
export function unreadableAgent(fault: string): AgentFile {
  const agent = parseAgent(unreadableMatter(fault), { toWrite: '' });
  // That the prompt is empty is no fault of its own.
  const problems = agent.content.problems.slice(0, 1);
  return { ...agent, content: { ...agent.content, problems } };
}

/**
 * Parses an agent that was made with `defineAgent`, as `parseAgentFile` does. Its fields have no lines: their faults have
 * line 0.
 */
export function parseDefinition(given: unknown): AgentFile {
  const { prompt, ...fields } = isPlainObject(given) ? given : { prompt: undefined };
  const problems = isPlainObject(given)
    ? []
    : [{ line: 0, message: 'it must be an agent, as `export default defineAgent({…})`' }];
  if (prompt !== undefined && typeof prompt !== 'string') {
    problems.push({ line: 0, message: 'prompt must be text' });
  }
  const body = typeof prompt === 'string' ? prompt.trim() : '';
  const matter = { fields: compact(fields), body, bodyLine: 0, problems, lineOf: () => 0 };
  const { content, references } = parseAgent(matter, { toWrite: 'write it as prompt' });
  return { content: { version: versionOf(JSON.stringify(content)), ...content }, references };
}

function versionOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

function parseAgent(
  matter: FrontMatter,
  { toWrite, version }: { toWrite: string; version?: string },
): AgentFile {
  const headers = findHeaders(matter);
  const given = {
    ...splitLists(matter.fields),
    ...Object.fromEntries(headers.map(({ key, value }) => [key, value])),
  };
  const lineOf: FrontMatter['lineOf'] = (path) =>
    headers.find(({ key }) => key === path[0])?.line ?? matter.lineOf(path);
  const { value: fields, faults } = parseLeniently(agentShape, given);
  const servers = parseMcpServers(fields.mcp_servers);
  const problems = [
    ...matter.problems,
    ...atLines([...faults, ...findDoubles(given), ...servers.faults], { lineOf }),
  ];
  if (matter.body === '') {
    const message = `the prompt is empty: ${toWrite}`;
    problems.push({ line: matter.bodyLine, message });
  }
  const { limits, agent_config: older } = fields;
  const content = compact({
    version,
    title: fields.title,
    description: fields.description,
    tools: fields.tools,
    maxTurns: fields.max_turns,
    agentConfig: older || limits ? { ...older, ...limits } : undefined,
    decisionTree: fields.decision_tree,
    skills: fields.skills,
    subagents: fields.subagents ?? [],
    permissionMode: fields.permissions?.mode,
    permissions: permissionsOf(fields),
    mcpServers: servers.value,
    attachments: fields.attachments,
    citations: fields.citations,
    memory: fields.memory,
    thinking: fields.thinking,
    output: fields.output,
    model: fields.model,
    fallbackModel: fields.fallback_model,
    fallbackModels: fields.fallback_models,
    agentType: fields.AGENT_TYPE === undefined ? undefined : Number(fields.AGENT_TYPE),
    agentClass: fields.AGENT_CLASS,
    prompt: matter.body,
    problems: problems.sort((a, b) => a.line - b.line),
  });
  return { content, references: findReferences(fields, { given, lineOf }) };
}

/** Fields that are given under both of their names. */
function findDoubles(given: Readonly<Record<string, unknown>>): Fault[] {
  return renamed.flatMap(([old, path]) => {
    if (at(given, [old]) === undefined || at(given, path) === undefined) return [];
    const message = `is the old name of ${path.join('.')}, which is given too: keep one of the two`;
    return [{ path: [old], message }];
  });
}

/** The rules of each list, under both of its names; a list without rules is absent. */
function permissionsOf({
  permissions = {},
  auto_approve_tools: approved = [],
  disallowed_tools: disallowed = [],
}: AgentFields): PermissionRules {
  const { allow = [], ask = [], deny = [] } = permissions;
  const lists = { allow: [...allow, ...approved], ask, deny: [...deny, ...disallowed] };
  const given = Object.entries(lists).filter(([, rules]) => rules.length > 0);
  return Object.fromEntries(given.map(([list, rules]) => [list, [...new Set(rules)]]));
}

/**
 * `AGENT_TYPE` and `AGENT_CLASS` in the body, which overrides the front matter: a line `KEY: value` or a
 * table row `**KEY** | value`.
 */
function findHeaders({
  body,
  bodyLine,
}: FrontMatter): { key: string; value: string; line: number }[] {
  return ['AGENT_TYPE', 'AGENT_CLASS'].flatMap((key) => {
    const row = new RegExp(
      `^[ \\t]*(?:\\|[ \\t]*)?\\**${key}\\**[ \\t]*[:|][ \\t]*(?:TYPE[ \\t]+)?([^\\s|]+)`,
      'm',
    ).exec(body);
    if (row?.[1] === undefined) return [];
    const before = body.slice(0, row.index).split('\n').length - 1;
    return [{ key, value: row[1], line: bodyLine + before }];
  });
}

/** A name in an agent's file that refers to something outside of the file. */
export interface Reference {
  /** `self` is the agent's own name, `rule` a permission rule. */
  kind: 'self' | 'tool' | 'rule' | 'tree' | 'agent';
  /** Path of the field, as `permissions.deny`. */
  field: string;
  value: string;
  line: number;
}

type Path = readonly string[];

/** @param given the fields as they are written, which the lines are of. */
function findReferences(
  fields: AgentFields,
  { given, lineOf }: { given: unknown } & Pick<FrontMatter, 'lineOf'>,
): Reference[] {
  const refer = (kind: Reference['kind'], path: Path, values: readonly string[] = []) =>
    values.map((value) => {
      const written = at(given, path);
      const index = Array.isArray(written)
        ? written.findIndex((item: unknown) => ruleOf(item) === value)
        : -1;
      return { kind, field: path.join('.'), value, line: lineOf([...path, index]) };
    });
  const { name, decision_tree: tree, permissions = {} } = fields;
  return [
    ...refer('self', ['name'], name === undefined ? [] : [name]),
    ...refer('tool', ['tools'], fields.tools),
    ...refer('tree', ['decision_tree'], tree === undefined ? [] : [tree]),
    ...refer('agent', ['subagents'], fields.subagents),
    ...refer('rule', ['permissions', 'allow'], permissions.allow),
    ...refer('rule', ['permissions', 'ask'], permissions.ask?.map(askText)),
    ...refer('rule', ['permissions', 'deny'], permissions.deny),
    ...refer('tool', ['auto_approve_tools'], fields.auto_approve_tools),
    ...refer('tool', ['disallowed_tools'], fields.disallowed_tools),
  ];
}

/** A name, or the text of a rule, as it is written. */
function ruleOf(item: unknown): string {
  return String(isPlainObject(item) ? item['rule'] : item).trim();
}

/** The value at a path; undefined for none and for a field without a value. */
function at(given: unknown, path: Path): unknown {
  const found = path.reduce((map, key) => (isPlainObject(map) ? map[key] : undefined), given);
  return found ?? undefined;
}

const names = z.array(z.string('must be the name of a server'));

/**
 * Parses the `mcp_servers` of an agent: a list of names in `TURNPIKE_MCP_FILE`, or a map of definitions.
 * Absent: all servers of the file. A fault leaves the agent without servers, as a server too few costs a
 * tool, and a server too many grants a right.
 */
function parseMcpServers(given: unknown): { value?: AgentServers; faults: Fault[] } {
  if (given === undefined) return { faults: [] };
  const { value = { named: [], own: {} }, faults = [] } = within(['mcp_servers'], parse(given));
  return { value, faults };
}

function parse(given: unknown): Parsed<AgentServers> {
  if (Array.isArray(given)) {
    const { value: named, faults } = parseValue(names, given);
    return faults ? { faults } : { value: { named, own: {} } };
  }
  if (!isPlainObject(given)) {
    const message =
      'must be a list of names or a map, for example [github] or {docs: {type: http, url: "https://…"}}';
    return { faults: [{ path: [], message }] };
  }
  const { value: own, faults } = parseDefinitions(given, 'agent');
  return faults ? { faults } : { value: { named: [], own } };
}
