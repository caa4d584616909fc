import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parsePrices, type ModelPrice } from './options/model-price.js';
import { parseAllowedOrigin } from './provider/egress-policy.js';
import { roles } from './role.js';
import { choice, integer, optional, text, type Setting } from './setting.js';

/**
 * Every variable of the configuration, in one table: the README's is generated from it. Long
 * because it is a list; `config.ts` reads it.
 */

const packageRoot = fileURLToPath(new URL('..', import.meta.url));

export const settings = {
  host: text(
    'TURNPIKE_HOST',
    '127.0.0.1',
    'Address to listen on. Loopback only until API keys exist.',
    {
      allowed: '127.0.0.1, ::1 or localhost',
      accept: (value) => ['127.0.0.1', '::1', 'localhost'].includes(value),
    },
  ),
  port: integer('TURNPIKE_PORT', 4400, 'Port to listen on; 0 picks a free one.', 0, 65_535),
  role: choice(
    'TURNPIKE_ROLE',
    roles,
    'all',
    'What this process does: `api` serves clients, `worker` runs turns, `all` both. Other than `all` needs `REDIS_URL` and `DATABASE_URL`.',
  ),
  redisUrl: optional(
    ['REDIS_URL'],
    'Redis of a deployment with several processes: `redis://[:password@]host:port[/database]`. Set together with `DATABASE_URL`.',
    true,
  ),
  redisPrefix: text('TURNPIKE_REDIS_PREFIX', 'turnpike', 'First part of every key in Redis.', {
    allowed: "letters, digits, '-' and '_', at most 64",
    accept: (value) => /^[\w-]{1,64}$/.test(value),
  }),
  databaseUrl: optional(
    ['DATABASE_URL'],
    'PostgreSQL of a deployment with several processes: `postgres://user:password@host:port/database`. Set together with `REDIS_URL`.',
    true,
  ),
  databaseConnections: integer(
    'TURNPIKE_DATABASE_CONNECTIONS',
    16,
    'Most connections to PostgreSQL of one process.',
    1,
    1_000,
  ),
  dataDir: text('TURNPIKE_DATA_DIR', './.turnpike', 'Folder of the embedded database.'),
  provider: choice(
    'TURNPIKE_PROVIDER',
    ['auto', 'anthropic', 'rehearsal'],
    'auto',
    'Where the model is. `auto`: Anthropic when a key is set, else the offline rehearsal model (never with `NODE_ENV=production`).',
  ),
  apiKey: optional(
    ['ANTHROPIC_API_KEY', 'CHIRALITY_ANTHROPIC_API_KEY'],
    'Key of the Anthropic API.',
    true,
  ),
  providerBaseUrl: optional(
    ['TURNPIKE_PROVIDER_BASE_URL', 'CHIRALITY_ANTHROPIC_API_URL'],
    'Base URL of the Messages API, for a gateway of your own. Its origin must be in `TURNPIKE_EGRESS_ALLOW`.',
  ),
  egressAllow: {
    names: ['TURNPIKE_EGRESS_ALLOW'],
    about:
      'Origins the provider may be reached at, comma-separated. Default: `https://api.anthropic.com`.',
    fallback: [],
    fallbackText: '',
    allowed: 'comma-separated origins: `https://host[:port]`, or a loopback `http://host[:port]`',
    parse: parseOrigins,
  } satisfies Setting<readonly string[]>,
  model: optional(['TURNPIKE_MODEL', 'CHIRALITY_GLOBAL_MODEL'], 'Model of turns that name none.'),
  prices: {
    names: ['TURNPIKE_PRICES'],
    about:
      'What models cost, for `opts.maxCostUsd`: beginnings of names with dollars for a million tokens of input and output, as `claude-opus=15/75,claude-sonnet=3/15`.',
    fallback: [],
    fallbackText: '',
    allowed: 'comma-separated `name=input/output`',
    parse: parsePrices,
  } satisfies Setting<readonly ModelPrice[]>,
  maxTokens: integer(
    'TURNPIKE_MAX_TOKENS',
    16_384,
    'Most tokens of one reply of the model.',
    1,
    1_000_000,
  ),
  instructionRoot: {
    names: ['TURNPIKE_INSTRUCTION_ROOT', 'CHIRALITY_INSTRUCTION_ROOT'],
    about: 'Folder whose `agents/` holds the personas.',
    fallback: path.join(packageRoot, 'instructions'),
    fallbackText: 'the `instructions` folder of the package',
    allowed: 'an absolute path',
    parse: (value) => (path.isAbsolute(value) ? value : undefined),
  } satisfies Setting<string>,
  projectRoot: {
    names: ['TURNPIKE_PROJECT_ROOT', 'TURNPIKE_ORACLE_ROOT'],
    about:
      'Folder that conversations work in where no request names one: those of `/agent` and of `/api/oracle`, whose `project_id` names a folder inside it.',
    fallback: process.cwd(),
    fallbackText: 'the working folder of the server',
    allowed: 'an absolute path',
    parse: (value) => (path.isAbsolute(value) ? value : undefined),
  } satisfies Setting<string>,
  attachmentRoots: {
    names: ['TURNPIKE_ATTACHMENT_ROOTS'],
    about: `Folders that attachments may be read from beside the session's project root, separated by \`${path.delimiter}\`.`,
    fallback: [],
    fallbackText: '',
    allowed: `absolute paths, separated by '${path.delimiter}'`,
    parse: parseFolders,
  } satisfies Setting<readonly string[]>,
  blobDir: {
    names: ['TURNPIKE_BLOB_DIR'],
    about:
      'Folder of the files that turns bring. With several processes it must be one that all of them see.',
    fallback: undefined,
    fallbackText: '`blobs` in the data folder; with `DATABASE_URL` the files are in the database',
    allowed: 'an absolute path',
    parse: (value) => (path.isAbsolute(value) ? value : undefined),
  } satisfies Setting<string | undefined>,
  attachmentMemoryMb: integer(
    'TURNPIKE_ATTACHMENT_MEMORY_MB',
    128,
    'Most MiB of attachments that the running turns of one worker hold at a time; further turns wait. A file takes about four times its size while it is sent.',
    1,
    1_048_576,
  ),
  receiveTimeoutMs: integer(
    'TURNPIKE_RECEIVE_TIMEOUT_MS',
    30_000,
    'How long a client that sends files may send nothing, in ms (408 after it).',
    100,
    3_600_000,
  ),
  extractProcesses: integer(
    'TURNPIKE_EXTRACT_PROCESSES',
    2,
    'Processes that read text out of files and make images fit, at most; started when needed.',
    1,
    64,
  ),
  extractTimeoutMs: integer(
    'TURNPIKE_EXTRACT_TIMEOUT_MS',
    30_000,
    'Longest time to read one file, in ms.',
    1_000,
    3_600_000,
  ),
  extractMemoryMb: integer(
    'TURNPIKE_EXTRACT_MEMORY_MB',
    768,
    'Most memory of a process that reads files, in MiB.',
    128,
    65_536,
  ),
  agentSessionMs: integer(
    'TURNPIKE_AGENT_SESSION_MS',
    1_800_000,
    'How long a session of `/agent` is kept without use, in ms.',
    1_000,
    31_536_000_000,
  ),
  corsOrigins: {
    names: ['TURNPIKE_CORS_ORIGINS'],
    about:
      'Origins whose pages may call the API from a browser, comma-separated, as `https://app.example.com`. Default: none.',
    fallback: [],
    fallbackText: '',
    allowed: 'comma-separated origins: `https://host[:port]` or `http://host[:port]`',
    parse: parseCorsOrigins,
  } satisfies Setting<readonly string[]>,
  subagentsEnabled: {
    names: ['TURNPIKE_ENABLE_SUBAGENTS', 'CHIRALITY_ENABLE_SUBAGENTS'],
    about: 'Whether turns may delegate to other agents: exactly `true`. Anything else is no.',
    fallback: false,
    fallbackText: '',
    allowed: 'any text',
    parse: (value) => value === 'true',
  } satisfies Setting<boolean>,
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
  workerConcurrency: integer(
    'TURNPIKE_WORKER_CONCURRENCY',
    32,
    'Turns one worker runs at a time.',
    1,
    10_000,
  ),
  queueDepth: integer(
    'TURNPIKE_QUEUE_DEPTH',
    1_000,
    'Turns that may wait; one more is refused with 429 `QUEUE_FULL`.',
    1,
    1_000_000,
  ),
  leaseMs: integer(
    'TURNPIKE_LEASE_MS',
    30_000,
    'How long a worker that went silent keeps its turn, in ms.',
    1_000,
    600_000,
  ),
  disconnectGraceMs: integer(
    'TURNPIKE_DISCONNECT_GRACE_MS',
    5_000,
    'How long a turn goes on without any reader, in ms, unless its `opts.onDisconnect` is `continue`.',
    0,
    86_400_000,
  ),
  readerTimeoutMs: integer(
    'TURNPIKE_READER_TIMEOUT_MS',
    30_000,
    'How long a reader may take nothing of what waits for it, in ms, before its connection is dropped. It resumes by cursor.',
    100,
    3_600_000,
  ),
  drainMs: integer(
    'TURNPIKE_DRAIN_MS',
    5_000,
    'How long a stop waits for running turns, in ms; what is not done by then is resumed at the next start.',
    0,
    3_600_000,
  ),
  archiveKeepDays: integer(
    'TURNPIKE_ARCHIVE_KEEP_DAYS',
    0,
    'Days for which the events of a turn that ended can be read again; 0: as long as its session. After that its stream answers 410 `STREAM_EXPIRED`; its messages stay.',
    0,
    36_500,
  ),
  logBytesPerTurn: integer(
    'TURNPIKE_LOG_BYTES_PER_TURN',
    33_554_432,
    "Most bytes of one turn's live log in Redis; older events are read from the archive.",
    65_536,
    1_073_741_824,
  ),
  turnTimeoutMs: integer(
    'TURNPIKE_TURN_TIMEOUT_MS',
    3_600_000,
    'Longest time of a turn, in ms.',
    1_000,
    86_400_000,
  ),
  stallTimeoutMs: integer(
    'TURNPIKE_STALL_TIMEOUT_MS',
    60_000,
    'Longest silence of the provider in a stream, in ms.',
    100,
    300_000,
  ),
  requestTimeoutMs: integer(
    'TURNPIKE_REQUEST_TIMEOUT_MS',
    90_000,
    'Longest wait for the provider to answer a call, in ms.',
    100,
    300_000,
  ),
  providerRetries: integer(
    'TURNPIKE_PROVIDER_RETRIES',
    2,
    'Tries after the first, before any event of a reply came.',
    0,
    10,
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
  sessionTokens: integer(
    'TURNPIKE_SESSION_TOKENS',
    0,
    'Most tokens of all turns of a session together; 0: no limit.',
    0,
    Number.MAX_SAFE_INTEGER,
  ),
  compactPercent: integer(
    'TURNPIKE_COMPACT_PERCENT',
    80,
    "Share of the model's context window, in percent, from which a conversation is compacted before a turn.",
    10,
    95,
  ),
  maxBodyBytes: integer(
    'TURNPIKE_MAX_BODY_BYTES',
    1_048_576,
    'Largest request body, in bytes (413 above).',
    1_024,
    1_073_741_824,
  ),
  maxMessageChars: integer(
    'TURNPIKE_MAX_MESSAGE_CHARS',
    400_000,
    'Longest message of a turn, in characters.',
    1,
    100_000_000,
  ),
  maxSessions: integer(
    'TURNPIKE_MAX_SESSIONS',
    100_000,
    'Most sessions kept; one more is refused with 429 `SESSION_LIMIT`.',
    1,
    100_000_000,
  ),
  logLevel: choice(
    'TURNPIKE_LOG_LEVEL',
    ['debug', 'info', 'warn', 'error', 'silent'],
    'info',
    'Least level that is logged. Bodies are logged at `debug` only.',
  ),
  production: {
    names: ['NODE_ENV'],
    about:
      '`production` turns the rehearsal model off: without a key, turns get 503 `MISSING_API_KEY`.',
    fallback: false,
    fallbackText: '',
    allowed: 'any text',
    parse: (value) => value === 'production',
  } satisfies Setting<boolean>,
};

function parseOrigins(value: string): readonly string[] | undefined {
  const entries = value.split(',').filter((entry) => entry.trim() !== '');
  const origins = entries.flatMap((entry) => parseAllowedOrigin(entry.trim()) ?? []);
  return origins.length === entries.length ? origins : undefined;
}

function parseFolders(value: string): readonly string[] | undefined {
  const folders = value.split(path.delimiter).filter((folder) => folder !== '');
  return folders.every((folder) => path.isAbsolute(folder)) ? folders : undefined;
}

/** An origin is what a browser sends: scheme, host and port, and nothing after. */
function parseCorsOrigins(value: string): readonly string[] | undefined {
  const entries = value.split(',').map((entry) => entry.trim());
  const given = entries.filter((entry) => entry !== '');
  const areOrigins = given.every(
    (entry) => /^https?:\/\//.test(entry) && URL.canParse(entry) && new URL(entry).origin === entry,
  );
  return areOrigins ? given : undefined;
}
