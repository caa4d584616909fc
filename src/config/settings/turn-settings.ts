import path from 'node:path';
import { packageRoot } from '../../platform/package-root.js';
import { integer, type Setting } from '../setting.js';

/** Agents, sessions, turns and their files. */
export const turnSettings = {
  instructionRoot: {
    names: ['TURNPIKE_INSTRUCTION_ROOT', 'CHIRALITY_INSTRUCTION_ROOT'],
    about: 'Folder whose `agents/` holds the personas.',
    fallback: path.join(packageRoot, 'instructions'),
    fallbackText: 'the `instructions` folder of the package',
    allowed: 'an absolute path',
    parse: (value) => (path.isAbsolute(value) ? value : undefined),
  } satisfies Setting<string>,
  projectsDir: {
    names: ['TURNPIKE_PROJECTS_DIR'],
    about:
      'Folder with a folder for each principal, `<it>/<principal>`, which its conversations work in where they name none; without API keys that is `<it>/default`. Made when it is needed. With several processes it must be one that all of them see.',
    fallback: path.resolve('projects'),
    fallbackText: '`projects` in the working folder of the server',
    allowed: 'a path',
    parse: (value) => path.resolve(value),
  } satisfies Setting<string>,
  projectRoots: {
    names: ['TURNPIKE_PROJECT_ROOTS'],
    about: `Folders that sessions of every principal may work in, and in what is inside of them, beside their own in \`TURNPIKE_PROJECTS_DIR\`; separated by \`${path.delimiter}\`. A key may open more for its sessions. Without API keys, a server that only its own machine reaches lets them work anywhere.`,
    fallback: [],
    fallbackText: '',
    allowed: `absolute paths, separated by '${path.delimiter}'`,
    parse: parseFolders,
  } satisfies Setting<readonly string[]>,
  projectRoot: {
    names: ['TURNPIKE_PROJECT_ROOT', 'TURNPIKE_ORACLE_ROOT'],
    about:
      'One folder for the conversations of every principal that name none, instead of one for each. A `project_id` of `/api/oracle` names a folder inside it.',
    fallback: undefined,
    fallbackText: "the principal's own in `TURNPIKE_PROJECTS_DIR`",
    allowed: 'an absolute path',
    parse: (value) => (path.isAbsolute(value) ? value : undefined),
  } satisfies Setting<string | undefined>,
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
    'Processes that read text out of files and make images fit, at most; started when needed, and shared fairly. With one, a file that takes long holds up the others.',
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
  sessionQueue: integer(
    'TURNPIKE_SESSION_QUEUE',
    16,
    'Most turns that are held behind one of their session, and most messages that join a running one.',
    1,
    10_000,
  ),
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
  mostAttempts: integer(
    'TURNPIKE_MAX_ATTEMPTS',
    3,
    'Most attempts in a row of one turn that store nothing new, as their process dies or loses the turn; then it fails with the reason `attempts_exhausted`. A stop in order, and an attempt that stored something, begin the count anew.',
    1,
    1_000,
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
  sessionTokens: integer(
    'TURNPIKE_SESSION_TOKENS',
    0,
    'Most tokens that all turns of a session are paid for together; 0: no limit.',
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
  maxConversationBytes: integer(
    'TURNPIKE_MAX_CONVERSATION_BYTES',
    16_777_216,
    'Largest request body of clients that send the whole conversation each time (AG-UI, AI SDK), in bytes (413 above).',
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
};

function parseFolders(value: string): readonly string[] | undefined {
  const folders = value.split(path.delimiter).filter((folder) => folder !== '');
  return folders.every((folder) => path.isAbsolute(folder)) ? folders : undefined;
}
