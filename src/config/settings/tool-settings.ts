import path from 'node:path';
import { permissionModes } from '../../options/permission-mode.js';
import { parseHostList } from '../../tools/mcp/definitions/mcp-hosts.js';
import { choice, integer, permission, type Setting } from '../setting.js';

/** What tools may do, and how they run. */
export const toolSettings = {
  extensions: {
    names: ['TURNPIKE_EXTENSIONS'],
    about:
      'Modules that add decision trees, triggers and tools, comma-separated: files (`./x.mjs`, `/x.mjs`) or packages installed beside the server. They run with the rights of the server. See `docs/how-to/extensions.md`.',
    fallback: [],
    fallbackText: '',
    allowed: 'comma-separated files and packages, each once',
    parse: parseModules,
  } satisfies Setting<readonly string[]>,
  permissionsFile: {
    names: ['TURNPIKE_PERMISSIONS_FILE'],
    about:
      'File with the rules for tools that hold for every turn, before those of agents and sessions: YAML or JSON with `allow`, `ask` and `deny`. Read at the start.',
    fallback: undefined,
    fallbackText: '',
    allowed: 'an absolute path',
    parse: (value) => (path.isAbsolute(value) ? value : undefined),
  } satisfies Setting<string | undefined>,
  modeCeiling: choice(
    'TURNPIKE_MODE_CEILING',
    permissionModes,
    'acceptEdits',
    'The loosest permission mode that any turn has, from `plan` over `dontAsk` and `direct` to `acceptEdits`. Under less than `acceptEdits`, `allow` rules of sessions count for nothing.',
  ),
  toolCeiling: {
    names: ['TURNPIKE_TOOL_CEILING'],
    about:
      'The tools that turns may have at most, comma-separated, `*` for any characters: `read,grep,mcp__docs__*`. Tools of clients are the clients’ own.',
    fallback: undefined,
    fallbackText: 'all',
    allowed: 'comma-separated names of tools',
    parse: parseTools,
  } satisfies Setting<readonly string[] | undefined>,
  approvalTimeoutMs: integer(
    'TURNPIKE_APPROVAL_TIMEOUT_MS',
    600_000,
    'How long a turn waits for an approval before the default is decided, in ms.',
    1_000,
    604_800_000,
  ),
  approvalDefault: choice(
    'TURNPIKE_APPROVAL_DEFAULT',
    ['deny', 'approve'],
    'deny',
    'What is decided about an approval that nobody answers.',
  ),
  unknownCalls: choice(
    'TURNPIKE_UNKNOWN_CALLS',
    ['tell', 'ask'],
    'tell',
    'A call with side effects whose process died: `tell` the model that its outcome is unknown, or `ask` a person first whether it may run again.',
  ),
  toolTimeoutMs: integer(
    'TURNPIKE_TOOL_TIMEOUT_MS',
    120_000,
    'Longest time of one tool call, in ms.',
    100,
    86_400_000,
  ),
  toolOutputLimit: integer(
    'TURNPIKE_TOOL_OUTPUT_LIMIT',
    100_000,
    "Most characters of a tool's output; the middle of a longer one is cut and marked.",
    100,
    10_000_000,
  ),
  parallelTools: integer(
    'TURNPIKE_PARALLEL_TOOLS',
    4,
    'Read-only tool calls of one step that run at a time.',
    1,
    64,
  ),
  allowUnsandboxedBash: permission(
    ['TURNPIKE_ALLOW_UNSANDBOXED_BASH'],
    'Whether commands run without a sandbox where there is none: exactly `true`. Anything else is no, and `bash` is off there.',
  ),
  sandboxNetwork: permission(
    ['TURNPIKE_SANDBOX_NETWORK'],
    "Whether commands in the sandbox reach the server's network: exactly `true`. Anything else is no.",
  ),
  sandboxHide: {
    names: ['TURNPIKE_SANDBOX_HIDE'],
    about: `Folders that commands in the sandbox do not see, separated by \`${path.delimiter}\`, beside those where keys usually are. A project root inside of one is seen.`,
    fallback: [],
    fallbackText: '',
    allowed: `absolute paths, separated by '${path.delimiter}'`,
    parse: parseFolders,
  } satisfies Setting<readonly string[]>,
  sandboxMemoryMb: integer(
    'TURNPIKE_SANDBOX_MEMORY_MB',
    2_048,
    'Most memory of one sandbox, in MiB: of each process, of what is in its `/tmp`, and of all together where a memory cgroup can be made.',
    64,
    1_048_576,
  ),
  sandboxCpuPercent: integer(
    'TURNPIKE_SANDBOX_CPU_PERCENT',
    200,
    'Most processor time of one sandbox, in percent of one processor, where a cpu cgroup can be made.',
    1,
    100_000,
  ),
  sandboxProcesses: integer(
    'TURNPIKE_SANDBOX_PROCESSES',
    256,
    'Most processes and threads in one sandbox.',
    8,
    65_536,
  ),
  mcpFile: {
    names: ['TURNPIKE_MCP_FILE'],
    about:
      'File of the MCP servers that agents may use: JSON, `{"mcpServers": {…}}`, with `${NAME}` for variables of the environment. Read at the start.',
    fallback: undefined,
    fallbackText: '',
    allowed: 'an absolute path',
    parse: (value) => (path.isAbsolute(value) ? value : undefined),
  } satisfies Setting<string | undefined>,
  mcpHosts: {
    names: ['TURNPIKE_MCP_HOSTS'],
    about:
      'Hosts that MCP servers of agents and sessions may be at, beside those of `TURNPIKE_MCP_FILE`, comma-separated: `mcp.example.com`, `*.example.com`, either with `:port`. Over https; a loopback name also over http.',
    fallback: [],
    fallbackText: '',
    allowed: 'comma-separated hosts: `host[:port]` or `*.host[:port]`',
    parse: parseHostList,
  } satisfies Setting<readonly string[]>,
  mcpSessionStdio: permission(
    ['TURNPIKE_MCP_SESSION_STDIO'],
    'Whether a session may bring MCP servers that are commands: exactly `true`. Whoever creates a session then runs commands on this machine.',
  ),
  mcpConnectMs: integer(
    'TURNPIKE_MCP_CONNECT_MS',
    10_000,
    'Longest time for an MCP server to come up and to list its tools, in ms; a turn goes on without it.',
    100,
    600_000,
  ),
  mcpIdleMs: integer(
    'TURNPIKE_MCP_IDLE_MS',
    300_000,
    'How long an MCP server that no turn uses is kept, in ms.',
    0,
    86_400_000,
  ),
  mcpConnections: integer(
    'TURNPIKE_MCP_CONNECTIONS',
    200,
    'Most MCP servers of one worker at a time, as processes or connections.',
    1,
    10_000,
  ),
  subagentsEnabled: permission(
    ['TURNPIKE_ENABLE_SUBAGENTS', 'CHIRALITY_ENABLE_SUBAGENTS'],
    'Whether turns may delegate to other agents: exactly `true`. Anything else is no.',
  ),
  subagentFanout: integer(
    'TURNPIKE_SUBAGENT_FANOUT',
    8,
    'Most subagents that one turn may start.',
    1,
    100,
  ),
  subagentWarnMs: {
    ...integer(
      'TURNPIKE_SUBAGENT_WARN_MS',
      1_000,
      'From this time on a decision about delegation is logged as slow, in ms.',
      0,
      600_000,
    ),
    names: ['TURNPIKE_SUBAGENT_WARN_MS', 'CHIRALITY_SUBAGENT_GOVERNANCE_WARN_MS'],
  } satisfies Setting<number>,
};

function parseFolders(value: string): readonly string[] | undefined {
  const folders = value.split(path.delimiter).filter((folder) => folder !== '');
  return folders.every((folder) => path.isAbsolute(folder)) ? folders : undefined;
}

function parseTools(value: string): readonly string[] | undefined {
  const names = value.split(',').map((name) => name.trim());
  const given = names.filter((name) => name !== '');
  return given.length > 0 && given.every((name) => /^[\w*-]+$/.test(name)) ? given : undefined;
}

/** Twice the same would be twice registered, and end the start with a riddle. */
function parseModules(value: string): readonly string[] | undefined {
  const names = value.split(',').map((name) => name.trim());
  const given = names.filter((name) => name !== '');
  return new Set(given).size === given.length ? given : undefined;
}
