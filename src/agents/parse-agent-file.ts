import type { AgentConfig } from '../governance/decision-tree/agent-config.js';
import type { PermissionRules } from '../governance/permissions/permission-rules.js';
import { ruleLists } from '../governance/permissions/read-permission-rules.js';
import type { ThinkingChoice } from '../provider/models/plan-thinking.js';
import type { AgentServers } from '../tools/mcp/servers/mcp-server.js';
import { parseHeader } from './body-header.js';
import { lineOf } from './field-lines.js';
import { FieldParser, type Findings } from './field-parser.js';
import { splitFrontMatter, type FrontMatter, type LineProblem } from './front-matter.js';
import { parseMcpServers } from './parse-mcp-servers.js';
import type { Reference } from './check-references.js';

const permissionModes = ['direct', 'acceptEdits', 'dontAsk', 'plan'] as const;
const attachmentForms = ['native', 'text'] as const;

/** An agent or persona: what its Markdown file says, checked. */
export interface Persona {
  name: string;
  description?: string;
  /** Tools it asks for; an explicit empty list means none. Absent: the default applies. */
  tools?: readonly string[];
  /** Most model calls of a turn; an integer from 1. */
  maxTurns?: number;
  /** Limits of its turns. */
  agentConfig?: Partial<AgentConfig>;
  /** Name of the decision tree that ends its turns. Absent: `default`. */
  decisionTree?: string;
  /** Names it may delegate to. */
  subagents: readonly string[];
  /** Mode of a turn where neither the turn nor its session sets one. */
  permissionMode?: (typeof permissionModes)[number];
  /** Rules for its tools; a list without rules is absent. */
  permissions: PermissionRules;
  /** MCP servers of its turns. Absent: all that the server has. */
  mcpServers?: AgentServers;
  /** Whether the model gets files as they are, or the text in them. Absent: `native`. */
  attachments?: (typeof attachmentForms)[number];
  /** Whether answers cite the documents they rest on. Absent: false. */
  citations?: boolean;
  /** Whether its turns think, or how much. Absent: what the request or the user says. */
  thinking?: ThinkingChoice;
  /** Kept for the reader; a turn's model is not chosen from it. */
  model?: string;
  /** The model that goes on where the turn's own does not answer. */
  fallbackModel?: string;
  /** 0, 1 (talks to a person) or 2 (may be delegated to). */
  agentType?: number;
  agentClass?: string;
  /** The system prompt: the file without its front matter. */
  prompt: string;
  /** What the file says wrongly; each was left out. In the order of the lines. */
  problems: readonly LineProblem[];
}

/** What a file says, whatever it is called. */
export interface AgentFile {
  content: Omit<Persona, 'name'>;
  /** What it names, to be looked for where it is used. */
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
  // Older names, of `limits` and of what is in `permissions`.
  'agent_config',
  'auto_approve_tools',
  'disallowed_tools',
];
const agentTypes = ['0', '1', '2'];
const agentClasses = ['PERSONA', 'TASK'];

/** Reads a persona file. Never throws: what is wrong is left out and named in `problems`. */
export function parsePersona(name: string, file: string): Persona {
  return { name, ...parseAgentFile(file).content };
}

/** The same, with the names it refers to. */
export function parseAgentFile(file: string): AgentFile {
  const matter = splitFrontMatter(file);
  const found: Findings = { problems: [...matter.problems], references: [] };
  const reader = new FieldParser(matter, found);
  reader.onlyKeys(knownFields);
  reader.text('name', 'self');
  const agentType = headerOf('AGENT_TYPE', agentTypes, { matter, found, reader });
  const says: Omit<Persona, 'name' | 'problems'> = {
    ...present('description', reader.text('description')),
    ...present('tools', reader.toolList('tools')),
    ...present('maxTurns', reader.positiveInteger('max_turns')),
    ...present('agentConfig', parseLimits(reader)),
    ...present('decisionTree', reader.text('decision_tree', 'tree')),
    subagents: reader.names('subagents', 'agent'),
    ...parsePermissions(reader),
    ...present('mcpServers', parseMcpServers(reader)),
    ...present('attachments', reader.oneOf('attachments', attachmentForms)),
    ...present('citations', reader.flag('citations')),
    ...present('thinking', reader.thinking('thinking')),
    ...present('model', reader.text('model')),
    ...present('fallbackModel', reader.text('fallback_model')),
    ...present('agentType', agentType === undefined ? undefined : Number(agentType)),
    ...present('agentClass', headerOf('AGENT_CLASS', agentClasses, { matter, found, reader })),
    prompt: matter.body,
  };
  if (matter.body === '') {
    const message = 'the prompt is empty: write it below the front matter';
    found.problems.push({ line: matter.bodyLine, message });
  }
  const problems = found.problems.sort((a, b) => a.line - b.line);
  return { content: { ...says, problems }, references: found.references };
}

function parseLimits(reader: FieldParser): Partial<AgentConfig> | undefined {
  const limits = reader.agentConfig('limits');
  const older = reader.agentConfig('agent_config');
  reader.notBoth('agent_config', 'limits', reader.given('limits'));
  return older && limits ? { ...older, ...limits } : (limits ?? older);
}

function parsePermissions(reader: FieldParser): Pick<Persona, 'permissionMode' | 'permissions'> {
  const permissions = reader.map('permissions', '{mode: plan, deny: [bash]}');
  permissions.onlyKeys(['mode', ...ruleLists]);
  reader.notBoth('auto_approve_tools', 'permissions.allow', permissions.given('allow'));
  reader.notBoth('disallowed_tools', 'permissions.deny', permissions.given('deny'));
  const older = { allow: 'auto_approve_tools', ask: undefined, deny: 'disallowed_tools' };
  const lists = ruleLists.flatMap((list) => {
    const named = older[list] === undefined ? [] : reader.names(older[list], 'tool');
    const rules = [...new Set([...permissions.rules(list), ...named])];
    return rules.length === 0 ? [] : [[list, rules] as const];
  });
  return {
    ...present('permissionMode', permissions.oneOf('mode', permissionModes)),
    permissions: Object.fromEntries(lists) as PermissionRules,
  };
}

function headerOf(
  key: string,
  allowed: readonly string[],
  { matter, found, reader }: { matter: FrontMatter; found: Findings; reader: FieldParser },
): string | undefined {
  const { body, bodyLine, lines } = matter;
  const field = reader.given(key);
  const fieldLine = lineOf(lines, key);
  const { value, problems } = parseHeader(key, { body, bodyLine, field, fieldLine, allowed });
  found.problems.push(...problems);
  return value;
}

function present<K extends string, T>(key: K, value: T | undefined): { [P in K]?: T } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: T });
}
