import { providerVariables } from './variables/provider-variables.js';
import { cloudVariables } from './variables/cloud-variables.js';
import { serverVariables } from './variables/server-variables.js';
import { toolVariables } from './variables/tool-variables.js';
import { turnVariables } from './variables/turn-variables.js';
import type { Variable } from './variable.js';

/** The variables under the headings of the documentation. */
const variableGroups = {
  'Serving clients, storage and logs': serverVariables,
  'Model and provider': providerVariables,
  'Claude in clouds': cloudVariables,
  'Tools, sandbox, MCP and memory': toolVariables,
  'Agents, sessions, turns and files': turnVariables,
};

/** Bounds that were variables and are constants now, and what each is. */
export const removedVariables: Readonly<Record<string, string>> = {
  TURNPIKE_EXTRACT_MEMORY_MB: 'a process that extracts files has at most 768 MiB',
  TURNPIKE_EXTRACT_TIMEOUT_MS: 'a file is extracted within 30 s',
  TURNPIKE_LOG_BYTES_PER_TURN: "a turn's live log has at most 32 MiB",
  TURNPIKE_MCP_CONNECTIONS: 'a worker has at most 200 MCP servers at a time',
  TURNPIKE_MCP_IDLE_MS: 'an unused MCP server stays connected for 5 minutes',
  TURNPIKE_MCP_PROGRESS_MS: 'a call of an MCP server that reports progress ends after an hour',
  TURNPIKE_PARALLEL_TOOLS:
    'at most 4 read-only calls run at a time, unless the limit `max_parallel_tools` is set',
};

/** Every variable of the configuration. */
export const variables = {
  ...serverVariables,
  ...providerVariables,
  ...cloudVariables,
  ...toolVariables,
  ...turnVariables,
};

/** The configuration as Markdown, a table for each group of variables, for the documentation. */
export function describeVariables(): string {
  return Object.entries(variableGroups)
    .map(([title, group]) => `## ${title}\n\n${describeGroup(group)}`)
    .join('\n\n');
}

function describeGroup(group: Readonly<Record<string, Variable<unknown>>>): string {
  const rows = Object.values(group).map((variable) => {
    const [name, ...aliases] = variable.names;
    const also =
      aliases.length === 0
        ? ''
        : ` Also read as ${aliases.map((alias) => `\`${alias}\``).join(', ')}.`;
    return `| \`${name}\` | ${describeFallback(variable)} | ${variable.about}${also} |`;
  });
  return ['| variable | default | what it does |', '| --- | --- | --- |', ...rows].join('\n');
}

function describeFallback({ fallback, fallbackText }: Variable<unknown>): string {
  if (fallbackText !== undefined) return fallbackText;
  return ['string', 'number', 'boolean'].includes(typeof fallback) ? `\`${String(fallback)}\`` : '';
}
