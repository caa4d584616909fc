import { providerVariables } from './variables/provider-variables.js';
import { serverVariables } from './variables/server-variables.js';
import { toolVariables } from './variables/tool-variables.js';
import { turnVariables } from './variables/turn-variables.js';

/** The variables under the headings of the documentation. */
export const variableGroups = {
  'Serving clients, storage and logs': serverVariables,
  'Model and provider': providerVariables,
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
  ...toolVariables,
  ...turnVariables,
};
