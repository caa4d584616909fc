import type { AgentConfig } from '../storage/shapes/stored-limits.js';
import type { PermissionMode, PermissionRules } from '../storage/shapes/stored-permissions.js';
import { parseLeniently } from '../parsing/parse-value.js';
import type { Fault } from '../parsing/word-issue.js';
import { compact } from '../platform/compact.js';
import type { AttachmentsAs } from '../storage/shapes/stored-options.js';
import type { OutputTerms } from '../storage/shapes/stored-options.js';
import type { ThinkingChoice } from '../storage/shapes/stored-thinking.js';
import type { AgentServers } from '../tools/mcp/definitions.js';
import { agentShape, splitLists, type AgentFields } from './agent-shape.js';
import { at, findReferences, type Reference } from './find-references.js';
import {
  atLines,
  splitFrontMatter,
  type FrontMatter,
  type LineProblem,
} from '../parsing/front-matter.js';
import { parseMcpServers } from './parse-mcp-servers.js';

/** An agent or persona, from its validated Markdown file. */
export interface Persona {
  name: string;
  /** Path below the instruction root, as `agents/reader.md`. */
  file: string;
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
  /** 0, 1 (talks to a person) or 2 (may be delegated to). */
  agentType?: number;
  agentClass?: string;
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
  const matter = splitFrontMatter(file);
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
    const message = 'the prompt is empty: write it below the front matter';
    problems.push({ line: matter.bodyLine, message });
  }
  const { limits, agent_config: older } = fields;
  const content = compact({
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
