import type { AgentConfig } from '../storage/shapes/stored-limits.js';
import type { PermissionRules } from '../storage/shapes/stored-permissions.js';
import { ruleLists } from '../governance/permissions/validate-permission-rules.js';
import { compact } from '../platform/compact.js';
import type { ThinkingChoice } from '../storage/shapes/stored-thinking.js';
import type { AgentServers } from '../tools/mcp-server.js';
import { lineOf } from './field-lines.js';
import { FieldParser, type Findings } from './field-parser.js';
import { splitFrontMatter, type FrontMatter, type LineProblem } from './front-matter.js';
import { parseMcpServers } from './parse-mcp-servers.js';
import type { Reference } from './check-references.js';

const permissionModes = ['direct', 'acceptEdits', 'dontAsk', 'plan'] as const;
const attachmentForms = ['native', 'text'] as const;

/** An agent or persona, from its validated Markdown file. */
export interface Persona {
  name: string;
  description?: string;
  /** Names of its tools; an empty list means none. Absent: the default applies. */
  tools?: readonly string[];
  /** Most model calls of a turn, 1 or more. */
  maxTurns?: number;
  /** Limits of its turns. */
  agentConfig?: Partial<AgentConfig>;
  /** Name of the decision tree that ends its turns. Absent: `default`. */
  decisionTree?: string;
  /** Names it may delegate to. */
  subagents: readonly string[];
  /** Permission mode of a turn, unless the turn or its session sets one. */
  permissionMode?: (typeof permissionModes)[number];
  /** Permission rules for its tools; a list without rules is absent. */
  permissions: PermissionRules;
  /** MCP servers of its turns. Absent: all that the server has. */
  mcpServers?: AgentServers;
  /** Whether the model gets files unchanged, or the text in them. Absent: `native`. */
  attachments?: (typeof attachmentForms)[number];
  /** Whether replies cite documents. Absent: false. */
  citations?: boolean;
  /**
   * Whether the agent's turns think, and how much. Absent: the request or the preferences choose.
   */
  thinking?: ThinkingChoice;
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

/** A parsed file, without the agent's name, which is the file's. */
export interface AgentFile {
  content: Omit<Persona, 'name'>;
  /** Names of other things in the file, to be checked where the file is used. */
  references: readonly Reference[];
}

const knownFields = [
  'name',
  'description',
  'model',
  'fallback_model',
  'tools',
  'max_turns',
  'permissions',
  'limits',
  'subagents',
  'decision_tree',
  'mcp_servers',
  'attachments',
  'citations',
  'thinking',
  'AGENT_TYPE',
  'AGENT_CLASS',
  // Older names, of `limits` and of fields of `permissions`.
  'agent_config',
  'auto_approve_tools',
  'disallowed_tools',
];
const agentTypes = ['0', '1', '2'];
const agentClasses = ['PERSONA', 'TASK'];

/**
 * Parses the file of an agent or a persona. Never throws: a fault is left out and named in
 * `problems`.
 */
export function parseAgentFile(file: string): AgentFile {
  const matter = splitFrontMatter(file);
  const found: Findings = { problems: [...matter.problems], references: [] };
  const fields = new FieldParser(matter, found);
  fields.onlyKeys(knownFields);
  fields.text('name', 'self');
  const agentType = parseHeader('AGENT_TYPE', agentTypes, { matter, found, fields });
  const content = compact({
    description: fields.text('description'),
    tools: fields.toolList('tools'),
    maxTurns: fields.positiveInteger('max_turns'),
    agentConfig: parseLimits(fields),
    decisionTree: fields.text('decision_tree', 'tree'),
    subagents: fields.names('subagents', 'agent'),
    ...parsePermissions(fields),
    mcpServers: parseMcpServers(fields),
    attachments: fields.oneOf('attachments', attachmentForms),
    citations: fields.flag('citations'),
    thinking: fields.thinking('thinking'),
    model: fields.text('model'),
    fallbackModel: fields.text('fallback_model'),
    agentType: agentType === undefined ? undefined : Number(agentType),
    agentClass: parseHeader('AGENT_CLASS', agentClasses, { matter, found, fields }),
    prompt: matter.body,
  });
  if (matter.body === '') {
    const message = 'the prompt is empty: write it below the front matter';
    found.problems.push({ line: matter.bodyLine, message });
  }
  const problems = found.problems.sort((a, b) => a.line - b.line);
  return { content: { ...content, problems }, references: found.references };
}

function parseLimits(fields: FieldParser): Partial<AgentConfig> | undefined {
  const limits = fields.agentConfig('limits');
  const older = fields.agentConfig('agent_config');
  fields.notBoth('agent_config', 'limits', fields.given('limits'));
  return older && limits ? { ...older, ...limits } : (limits ?? older);
}

function parsePermissions(fields: FieldParser): Pick<Persona, 'permissionMode' | 'permissions'> {
  const permissions = fields.map('permissions', '{mode: plan, deny: [bash]}');
  permissions.onlyKeys(['mode', ...ruleLists]);
  fields.notBoth('auto_approve_tools', 'permissions.allow', permissions.given('allow'));
  fields.notBoth('disallowed_tools', 'permissions.deny', permissions.given('deny'));
  const older = { allow: 'auto_approve_tools', ask: undefined, deny: 'disallowed_tools' };
  const lists = ruleLists.flatMap((list) => {
    const named = older[list] === undefined ? [] : fields.names(older[list], 'tool');
    const rules = [...new Set([...permissions.rules(list), ...named])];
    return rules.length === 0 ? [] : [[list, rules] as const];
  });
  return {
    ...compact({ permissionMode: permissions.oneOf('mode', permissionModes) }),
    permissions: Object.fromEntries(lists) as PermissionRules,
  };
}

interface HeaderSource {
  matter: FrontMatter;
  found: Findings;
  fields: FieldParser;
}

/**
 * `AGENT_TYPE` or `AGENT_CLASS`: a line `KEY: value` or a table row `**KEY** | value` of the body, else
 * the field of the front matter. Undefined when it is missing or not allowed.
 */
function parseHeader(
  key: string,
  allowed: readonly string[],
  { matter, found, fields }: HeaderSource,
): string | undefined {
  const { body, bodyLine, lines } = matter;
  const row = new RegExp(
    `^[ \\t]*(?:\\|[ \\t]*)?\\**${key}\\**[ \\t]*[:|][ \\t]*(?:TYPE[ \\t]+)?([^\\s|]+)`,
    'm',
  ).exec(body);
  const given = row?.[1] ?? fields.given(key);
  if (given === undefined) return undefined;
  const isScalar = typeof given === 'string' || typeof given === 'number';
  const value = isScalar ? String(given).replace(/^TYPE\s+/, '') : '';
  if (allowed.includes(value)) return value;
  const line = row
    ? bodyLine + body.slice(0, row.index).split('\n').length - 1
    : lineOf(lines, key);
  const message = `${key} must be one of ${allowed.join(', ')}, not ${JSON.stringify(given)}`;
  found.problems.push({ line, message });
  return undefined;
}
