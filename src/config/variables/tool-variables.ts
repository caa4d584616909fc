import path from 'node:path';
import * as z from 'zod/mini';
import { parsedBy } from '../../platform/parsing/shapes.js';
import { permissionModes } from '../../storage/shapes/stored-options.js';
import { parseHostEntry } from '../variable-forms.js';
import {
  absolutePath,
  absolutePaths,
  choice,
  eachOnce,
  flag,
  integer,
  list,
  listText,
  permission,
  privateHosts,
  secret,
  variable,
} from '../variable.js';

/** Whether a text is a secret of Standard Webhooks. */
function isWebhookSecret(text: string): boolean {
  const [, encoded = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const bytes = Buffer.from(encoded, 'base64').length;
  return bytes >= 24 && bytes <= 64;
}

const toolName = z.string().check(z.regex(/^[\w*-]+$/, 'must be the name of a tool'));
const host = parsedBy(parseHostEntry, 'must be a host: `host[:port]` or `*.host[:port]`');

/** Variables of tools: their permissions and limits, the sandbox, MCP servers and subagents. */
export const toolVariables = {
  // The second registration of a module's names would fail.
  extensions: list(
    'TURNPIKE_EXTENSIONS',
    'Modules that add decision trees, triggers and tools, comma-separated: files (`./x.mjs`, `/x.mjs`) or packages installed beside the server. They run with the rights of the server. See `docs/how-to/extensions.md`.',
    z.array(z.string()).check(eachOnce()),
  ),
  permissionsFile: absolutePath(
    'TURNPIKE_PERMISSIONS_FILE',
    'File with the rules for tools of every turn, before those of agents and sessions: YAML or JSON with `allow`, `ask` and `deny`. Read at the start.',
  ),
  modeCeiling: choice('TURNPIKE_MODE_CEILING', {
    about:
      'The loosest permission mode that any turn has, from `plan` over `dontAsk` and `direct` to `acceptEdits`. Under a ceiling below `acceptEdits`, `allow` rules of sessions have no effect.',
    fallback: 'acceptEdits',
    values: permissionModes,
  }),
  toolCeiling: variable<readonly string[] | undefined>(
    'TURNPIKE_TOOL_CEILING',
    {
      about:
        'The tools that turns may have at most, comma-separated, `*` for any characters: `read,grep,mcp__docs__*`. Tools of clients are the clients’ own.',
      fallback: undefined,
      fallbackText: 'all',
    },
    listText(z.array(toolName).check(z.minLength(1, 'must have the name of a tool'))),
  ),
  approvalTimeoutMs: integer('TURNPIKE_APPROVAL_TIMEOUT_MS', {
    about:
      'How long a turn is parked for an approval before `TURNPIKE_APPROVAL_DEFAULT` is decided, in ms.',
    fallback: 600_000,
    min: 1_000,
    max: 604_800_000,
  }),
  approvalDefault: choice('TURNPIKE_APPROVAL_DEFAULT', {
    about: 'The decision about an approval that nobody answers.',
    fallback: 'deny',
    values: ['deny', 'approve'],
  }),
  unknownCalls: choice('TURNPIKE_UNKNOWN_CALLS', {
    about:
      'What happens to a call with side effects whose worker died: `tell` the model that its outcome is unknown, or `ask` a person whether it may run again.',
    fallback: 'tell',
    values: ['tell', 'ask'],
  }),
  projectSkills: permission(
    'TURNPIKE_PROJECT_SKILLS',
    'Whether turns have the skills in `.claude/skills` of their project: exactly `true`. Anything else is no. Who writes to a project then writes to the prompts of its turns.',
  ),
  toolHookUrl: secret(
    'TURNPIKE_TOOL_HOOK_URL',
    'URL that is asked about each tool call that the rules do not deny: see `docs/guide/tool-hook.md`. https, at a public address; other hosts are in `TURNPIKE_TOOL_HOOK_PRIVATE_HOSTS`.',
  ),
  toolHookSecret: variable<string | undefined>(
    'TURNPIKE_TOOL_HOOK_SECRET',
    {
      about:
        'The secret that signs these questions, as Standard Webhooks has it: `whsec_` and 24 to 64 bytes in base64.',
      fallback: undefined,
      fallbackText: 'none',
      secret: true,
    },
    parsedBy(
      (given: string) => (isWebhookSecret(given) ? given : undefined),
      'must be whsec_ and 24 to 64 bytes in base64',
    ),
  ),
  toolHookPrivateHosts: privateHosts(
    'TURNPIKE_TOOL_HOOK_PRIVATE_HOSTS',
    'Hosts at which the tool hook may have a private address, and http',
  ),
  toolTimeoutMs: integer('TURNPIKE_TOOL_TIMEOUT_MS', {
    about: 'Longest time of one tool call, in ms.',
    fallback: 120_000,
    min: 100,
    max: 86_400_000,
  }),
  toolOutputLimit: integer('TURNPIKE_TOOL_OUTPUT_LIMIT', {
    about: "Most characters of a tool's output; the middle of a longer one is cut and marked.",
    fallback: 100_000,
    min: 100,
    max: 10_000_000,
  }),
  allowUnsandboxedBash: permission(
    'TURNPIKE_ALLOW_UNSANDBOXED_BASH',
    'Whether commands run without a sandbox where there is none: exactly `true`. Anything else is no, and `bash` is off there.',
  ),
  sandboxNetwork: permission(
    'TURNPIKE_SANDBOX_NETWORK',
    "Whether commands in the sandbox reach the server's network: exactly `true`. Anything else is no.",
  ),
  sandboxHide: absolutePaths(
    'TURNPIKE_SANDBOX_HIDE',
    `Folders that are hidden from commands in the sandbox, separated by \`${path.delimiter}\`, beside the usual folders of credentials. A project root inside such a folder stays visible.`,
  ),
  sandboxMemoryMb: integer('TURNPIKE_SANDBOX_MEMORY_MB', {
    about:
      'Most memory of one sandbox, in MiB: of all processes together where a memory cgroup can be made, else of each process, which gets 512 MiB more, as runtimes reserve that. `/tmp` gets half.',
    fallback: 2_048,
    min: 64,
    max: 1_048_576,
  }),
  sandboxCpuPercent: integer('TURNPIKE_SANDBOX_CPU_PERCENT', {
    about:
      'Most processor time of one sandbox, in percent of one processor, where a cpu cgroup can be made.',
    fallback: 200,
    min: 1,
    max: 100_000,
  }),
  sandboxProcesses: integer('TURNPIKE_SANDBOX_PROCESSES', {
    about: 'Most processes and threads in one sandbox.',
    fallback: 256,
    min: 8,
    max: 65_536,
  }),
  mcpFile: absolutePath(
    'TURNPIKE_MCP_FILE',
    'File of the MCP servers that agents may use: JSON, `{"mcpServers": {…}}`, with `${NAME}` for variables of the environment. Read at the start.',
  ),
  mcpHosts: list(
    'TURNPIKE_MCP_HOSTS',
    'Hosts that MCP servers of agents and sessions may be at, beside those of `TURNPIKE_MCP_FILE`, comma-separated: `mcp.example.com`, `*.example.com`, either with `:port`. Over https; a loopback name also over http.',
    z.array(host),
  ),
  mcpPrivateHosts: privateHosts(
    'TURNPIKE_MCP_PRIVATE_HOSTS',
    'Hosts at which MCP servers, whoever defines them, may have private addresses',
  ),
  mcpSessionStdio: permission(
    'TURNPIKE_MCP_SESSION_STDIO',
    'Whether sessions may define MCP servers that are commands: exactly `true`. Clients that create sessions can then run commands on this machine.',
  ),
  mcpConnectMs: integer('TURNPIKE_MCP_CONNECT_MS', {
    about:
      'Longest time for an MCP server to connect and list its tools, in ms; after it the turn goes on without the server.',
    fallback: 10_000,
    min: 100,
    max: 600_000,
  }),
  memory: flag('TURNPIKE_MEMORY', {
    about:
      'Whether agents and turns may have a memory; no turn has one unless its agent’s file or its options say so.',
    fallback: true,
  }),
  memoryFiles: integer('TURNPIKE_MEMORY_FILES', {
    about: 'Most files in the memory of a principal and an agent.',
    fallback: 100,
    min: 1,
    max: 1_000,
  }),
  memoryFileBytes: integer('TURNPIKE_MEMORY_FILE_BYTES', {
    about: 'Most bytes of a file in a memory.',
    fallback: 65_536,
    min: 1_024,
    max: 1_048_576,
  }),
  memoryBytes: integer('TURNPIKE_MEMORY_BYTES', {
    about: 'Most bytes of all files in the memory of a principal and an agent.',
    fallback: 1_048_576,
    min: 1_024,
    max: 104_857_600,
  }),
  memoryKeepDays: integer('TURNPIKE_MEMORY_KEEP_DAYS', {
    about: 'Days for which a file in a memory is kept after it was last written; 0: always.',
    fallback: 0,
    min: 0,
    max: 36_500,
  }),
  subagentsEnabled: permission(
    ['TURNPIKE_ENABLE_SUBAGENTS', 'CHIRALITY_ENABLE_SUBAGENTS'],
    'Whether turns may delegate to other agents: exactly `true`. Anything else is no.',
  ),
  subagentFanout: integer('TURNPIKE_SUBAGENT_FANOUT', {
    about: 'Most subagents that one turn may start.',
    fallback: 8,
    min: 1,
    max: 100,
  }),
  subagentWarnMs: integer(['TURNPIKE_SUBAGENT_WARN_MS', 'CHIRALITY_SUBAGENT_GOVERNANCE_WARN_MS'], {
    about: 'Time from which on a delegation decision is logged as slow, in ms.',
    fallback: 1_000,
    min: 0,
    max: 600_000,
  }),
};
