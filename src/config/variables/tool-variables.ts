import path from 'node:path';
import * as z from 'zod/mini';
import { isLoopbackHttp } from '../../platform/net/addresses.js';
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

const redirect = parsedBy(
  (entry: string) => (URL.canParse(entry) && isSafeRedirect(new URL(entry)) ? entry : undefined),
  'must be a URL, https://host/path, without a query and without a fragment',
);

function isSafeRedirect(url: URL): boolean {
  return (url.protocol === 'https:' || isLoopbackHttp(url)) && url.search === '' && url.hash === '';
}

/** Variables of tools: their permissions and limits, the sandbox, MCP servers and subagents. */
export const toolVariables = {
  // The second registration of a module's names would fail.
  extensions: list(
    'TURNPIKE_EXTENSIONS',
    'Modules that add tools, triggers and decision trees: files (`./x.mjs`) or installed packages. They run with the server’s rights ([extensions](../how-to/extensions.md)).',
    z.array(z.string()).check(eachOnce()),
  ),
  toolsDir: variable<string | undefined>(
    'TURNPIKE_TOOLS_DIR',
    {
      about:
        'Folder of tools of yours, one a file: `order_status.ts` is the tool `order_status` ([your own tool](../guide/your-own-tool.md)). They run with the server’s rights. Read at the start.',
      fallback: undefined,
      fallbackText: 'none',
    },
    z.transform((text: string) => path.resolve(text)),
  ),
  permissionsFile: absolutePath(
    'TURNPIKE_PERMISSIONS_FILE',
    'YAML or JSON file with `allow`, `ask` and `deny` rules for every turn ([permissions](../guide/permissions.md)). Read at the start.',
  ),
  modeCeiling: choice('TURNPIKE_MODE_CEILING', {
    about:
      'The loosest permission mode of any turn, in the order `plan`, `dontAsk`, `direct`, `acceptEdits`. Below `acceptEdits`, `allow` rules of sessions have no effect.',
    fallback: 'acceptEdits',
    values: permissionModes,
  }),
  toolCeiling: variable<readonly string[] | undefined>(
    'TURNPIKE_TOOL_CEILING',
    {
      about:
        'The only tools that turns may have; `*` matches any characters: `read,grep,mcp__docs__*`. It does not limit client tools.',
      fallback: undefined,
      fallbackText: 'all',
    },
    listText(z.array(toolName).check(z.minLength(1, 'must have the name of a tool'))),
  ),
  approvalTimeoutMs: integer('TURNPIKE_APPROVAL_TIMEOUT_MS', {
    about: 'How long a turn waits for an approval before `TURNPIKE_APPROVAL_DEFAULT` applies.',
    fallback: 600_000,
    min: 1_000,
    max: 604_800_000,
  }),
  approvalDefault: choice('TURNPIKE_APPROVAL_DEFAULT', {
    about: 'The decision if nobody answers an approval.',
    fallback: 'deny',
    values: ['deny', 'approve'],
  }),
  unknownCalls: choice('TURNPIKE_UNKNOWN_CALLS', {
    about:
      'If a worker died during a call with side effects: `tell` the model that the outcome is unknown, or `ask` a person whether to run it again.',
    fallback: 'tell',
    values: ['tell', 'ask'],
  }),
  projectSkills: permission(
    'TURNPIKE_PROJECT_SKILLS',
    'Exactly `true`: turns have the skills in `.claude/skills` of their project. Anyone who can write to a project can then write to its prompts.',
  ),
  projectFiles: choice('TURNPIKE_PROJECT_FILES', {
    about:
      'Whether sessions take the files that their project has for Claude Code and its Agent SDK: agents, skills, commands, instructions, MCP servers and permission rules ([projects of Claude Code](../guide/claude-projects.md)). `sessions`: those that are created with `projectFiles: "claude"`. Anyone who can write to a project can then write to its prompts.',
    fallback: 'none',
    values: ['none', 'claude', 'sessions'],
  }),
  trustedProjects: absolutePaths(
    'TURNPIKE_TRUSTED_PROJECTS',
    'Folders whose projects, also below them, may with `TURNPIKE_PROJECT_FILES` allow tool calls in advance, start MCP servers that are commands, and read `TURNPIKE_PROJECT_VARIABLES`.',
  ),
  projectVariables: list(
    'TURNPIKE_PROJECT_VARIABLES',
    'Variables of the server that `.mcp.json` of a trusted project may name as `${NAME}`.',
    z.array(z.string()),
  ),
  toolHookUrl: secret(
    'TURNPIKE_TOOL_HOOK_URL',
    'URL of the [tool hook](../guide/tool-hook.md), which decides about each tool call that the rules do not deny. https, at a public address.',
  ),
  toolHookSecret: variable<string | undefined>(
    'TURNPIKE_TOOL_HOOK_SECRET',
    {
      about: 'Secret that signs requests to the tool hook: `whsec_` and 24 to 64 bytes in base64.',
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
    'Hosts at which the tool hook may use a private address and http',
  ),
  toolTimeoutMs: integer('TURNPIKE_TOOL_TIMEOUT_MS', {
    about: 'Maximum time of one tool call.',
    fallback: 120_000,
    min: 100,
    max: 86_400_000,
  }),
  toolOutputLimit: integer('TURNPIKE_TOOL_OUTPUT_LIMIT', {
    about: "Maximum characters of a tool's output; a longer one is cut in the middle, with a mark.",
    fallback: 100_000,
    min: 100,
    max: 10_000_000,
  }),
  allowUnsandboxedBash: permission(
    'TURNPIKE_ALLOW_UNSANDBOXED_BASH',
    'Exactly `true`: if no sandbox works, `bash` runs without one instead of being off.',
  ),
  sandboxNetwork: permission(
    'TURNPIKE_SANDBOX_NETWORK',
    "Exactly `true`: commands in the sandbox can use the server's network.",
  ),
  sandboxHide: absolutePaths(
    'TURNPIKE_SANDBOX_HIDE',
    `Folders hidden from commands, in addition to the usual folders of credentials. A project root inside one stays visible.`,
  ),
  sandboxMemoryMb: integer('TURNPIKE_SANDBOX_MEMORY_MB', {
    about:
      'Maximum memory of a sandbox. Without a memory cgroup, each process may use as much, and reserve 512 MiB more. `/tmp` gets half.',
    fallback: 2_048,
    min: 64,
    max: 1_048_576,
  }),
  sandboxCpuPercent: integer('TURNPIKE_SANDBOX_CPU_PERCENT', {
    about: 'Maximum CPU of one sandbox, in percent of one processor. Needs a cpu cgroup.',
    fallback: 200,
    min: 1,
    max: 100_000,
  }),
  sandboxProcesses: integer('TURNPIKE_SANDBOX_PROCESSES', {
    about: 'Maximum processes and threads of one sandbox.',
    fallback: 256,
    min: 8,
    max: 65_536,
  }),
  mcpFile: variable<string | undefined>(
    'TURNPIKE_MCP_FILE',
    {
      about: 'JSON file with the [MCP servers](../guide/mcp.md) of agents. Read at the start.',
      fallback: undefined,
    },
    z.transform((text: string) => path.resolve(text)),
  ),
  mcpHosts: list(
    'TURNPIKE_MCP_HOSTS',
    'Hosts of MCP servers that agents and sessions may define, in addition to those of `TURNPIKE_MCP_FILE`: `mcp.example.com`, `*.example.com`, either with `:port`. https, or http to a loopback name.',
    z.array(host),
  ),
  mcpPrivateHosts: privateHosts(
    'TURNPIKE_MCP_PRIVATE_HOSTS',
    'Hosts at which MCP servers may have private addresses',
  ),
  mcpRedirects: list(
    'TURNPIKE_MCP_REDIRECTS',
    'URLs of applications that a [log-in at an MCP server](../guide/mcp-log-in.md) may come back to, such as `https://app.example.com/mcp`. Default: none but this server’s own page, and loopback addresses.',
    z.array(redirect),
  ),
  mcpSessionStdio: permission(
    'TURNPIKE_MCP_SESSION_STDIO',
    'Exactly `true`: sessions may define MCP servers that are commands. Clients that create sessions can then run commands on this machine.',
  ),
  mcpConnectMs: integer('TURNPIKE_MCP_CONNECT_MS', {
    about:
      'Maximum time in which an MCP server must connect and list its tools; otherwise it is stopped, and tried again in the background.',
    fallback: 30_000,
    min: 100,
    max: 600_000,
  }),
  mcpWaitMs: integer('TURNPIKE_MCP_WAIT_MS', {
    about:
      'Longest wait of a turn for an MCP server that starts; then the turn continues without it. No turn waits for a server whose last start failed.',
    fallback: 5_000,
    min: 0,
    max: 600_000,
  }),
  toolSearch: choice('TURNPIKE_TOOL_SEARCH', {
    about:
      'Who searches for the tools of MCP servers where a turn has many ([MCP](../guide/mcp-tools.md#many-tools)): `auto` the provider where it can, else the server; `own` always the server, for gateways without a tool search; `off` nobody: every request has all definitions.',
    fallback: 'auto',
    values: ['auto', 'own', 'off'],
  }),
  toolSearchAbove: integer('TURNPIKE_TOOL_SEARCH_ABOVE', {
    about: 'The number of MCP tools above which a search finds them.',
    fallback: 10,
    min: 0,
    max: 10_000,
  }),
  toolSearchPercent: integer('TURNPIKE_TOOL_SEARCH_PERCENT', {
    about:
      "The share of the model's window, in percent, above which a search finds the MCP tools, however few there are.",
    fallback: 5,
    min: 0,
    max: 100,
  }),
  memory: flag('TURNPIKE_MEMORY', {
    about:
      'Whether turns may have a [memory](../guide/memory.md), if their agent’s file or options ask for one.',
    fallback: true,
  }),
  memoryFiles: integer('TURNPIKE_MEMORY_FILES', {
    about: 'Maximum files of one memory.',
    fallback: 100,
    min: 1,
    max: 1_000,
  }),
  memoryFileBytes: integer('TURNPIKE_MEMORY_FILE_BYTES', {
    about: 'Maximum size of a file in a memory.',
    fallback: 65_536,
    min: 1_024,
    max: 1_048_576,
  }),
  memoryBytes: integer('TURNPIKE_MEMORY_BYTES', {
    about: 'Maximum size of one memory.',
    fallback: 1_048_576,
    min: 1_024,
    max: 104_857_600,
  }),
  memoryKeepDays: integer('TURNPIKE_MEMORY_KEEP_DAYS', {
    about: 'How long a file in a memory is kept after its last write; 0: for ever.',
    fallback: 0,
    min: 0,
    max: 36_500,
  }),
  subagentsEnabled: permission(
    ['TURNPIKE_ENABLE_SUBAGENTS', 'CHIRALITY_ENABLE_SUBAGENTS'],
    'Exactly `true`: turns may delegate to [subagents](../guide/subagents.md).',
  ),
  subagentFanout: integer('TURNPIKE_SUBAGENT_FANOUT', {
    about: 'Maximum subagents of one turn.',
    fallback: 8,
    min: 1,
    max: 100,
  }),
  subagentWarnMs: integer(['TURNPIKE_SUBAGENT_WARN_MS', 'CHIRALITY_SUBAGENT_GOVERNANCE_WARN_MS'], {
    about: 'A delegation decision that takes longer is logged as slow.',
    fallback: 1_000,
    min: 0,
    max: 600_000,
  }),
};
