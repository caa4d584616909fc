import { compact } from '../platform/compact.js';
import { convertModel } from '../project-files/model-names.js';
import { toOurRules } from './allowed-tools.js';
import type { AgentDefinition } from './query-options.js';
import { serverMode } from './server-mode.js';
import { UnsupportedError } from './sdk-errors.js';
import { isMissing, toOurName } from './tool-names.js';

/** The subagents of a query, as a session is given them. */
export type SessionAgents = Readonly<Record<string, Record<string, unknown>>>;

/** What lets a turn delegate: the program asks for it by giving subagents, and stands for the approval. */
export const delegating = {
  contextSealed: true,
  pipelineRunApproved: true,
  approvalRef: 'turnpike/agent-sdk',
} as const;

const honoured = [
  'description',
  'prompt',
  'tools',
  'disallowedTools',
  'model',
  'maxTurns',
  'skills',
  'effort',
  'permissionMode',
] as const satisfies readonly (keyof AgentDefinition)[];

/** The subagents of a query by name. Pure. @throws UnsupportedError for what is not honoured, by its name. */
export function planAgents(
  given: Readonly<Record<string, AgentDefinition>>,
  cwd: string | undefined,
): SessionAgents {
  return Object.fromEntries(
    Object.entries(given).map(([name, definition]) => [name, planAgent(name, definition, cwd)]),
  );
}

function planAgent(
  name: string,
  definition: AgentDefinition,
  cwd: string | undefined,
): Record<string, unknown> {
  const at = `agents.${name}`;
  const odd = Object.keys(definition).find((key) => !honoured.some((known) => known === key));
  if (odd !== undefined) {
    throw new UnsupportedError(`${at}.${odd}`, `an agent of a query has ${honoured.join(', ')}`);
  }
  const { description, prompt, tools, disallowedTools = [], model, maxTurns, skills } = definition;
  const { effort, permissionMode } = definition;
  const source = { option: `${at}.disallowedTools`, list: 'deny', cwd } as const;
  const deny = disallowedTools.flatMap((rule) => toOurRules(rule, source));
  const permissions = compact({
    deny: deny.length === 0 ? undefined : deny,
    mode: permissionMode && serverMode(permissionMode, false),
  });
  return compact({
    description,
    prompt,
    tools: tools && toolsOf(tools, at),
    model: model === undefined ? undefined : modelOf(model, at),
    max_turns: maxTurns,
    skills,
    thinking: effort,
    permissions: Object.keys(permissions).length === 0 ? undefined : permissions,
  });
}

/** Tools of a subagent: it delegates to nobody, and has all tools of the MCP servers of its session. */
function toolsOf(tools: readonly string[], at: string): string[] {
  const limited = tools.find((tool) => tool.includes('('));
  if (limited !== undefined) {
    throw new UnsupportedError(
      `${at}.tools ${JSON.stringify(limited)}`,
      'name the tool, and hold back calls by disallowedTools',
    );
  }
  return tools
    .filter((tool) => !tool.startsWith('mcp__') && !isMissing(tool))
    .map(toOurName)
    .filter((tool) => tool !== 'task');
}

function modelOf(given: string, at: string): string | undefined {
  const { value, verdict, how } = convertModel(given);
  if (verdict === 'refused')
    throw new UnsupportedError(`${at}.model ${JSON.stringify(given)}`, how);
  return value;
}
