import path from 'node:path';
import * as z from 'zod/mini';
import { packageRoot } from '../../platform/process/package-root.js';
import { absolute, absolutePath, absolutePaths, integer, variable } from '../variable.js';

/** Variables of agents, sessions, turns and their files. */
export const turnVariables = {
  instructionRoot: variable(
    ['TURNPIKE_INSTRUCTION_ROOT', 'CHIRALITY_INSTRUCTION_ROOT'],
    {
      about: 'Folder whose `agents/` has the agents (`docs/guide/named-agents.md`).',
      fallback: path.join(packageRoot, 'instructions'),
      fallbackText: 'the `instructions` folder of the package',
    },
    absolute,
  ),
  projectsDir: variable(
    'TURNPIKE_PROJECTS_DIR',
    {
      about:
        'Folder with a folder for each principal, `<it>/<principal>`, which its conversations work in where they name none; without API keys that is `<it>/default`. It is created when needed. With several processes, all of them must see it.',
      fallback: path.resolve('projects'),
      fallbackText: '`projects` in the working folder of the server',
    },
    z.transform((text: string) => path.resolve(text)),
  ),
  projectMb: integer('TURNPIKE_PROJECT_MB', {
    about:
      "Most MiB of a principal's own folder in `TURNPIKE_PROJECTS_DIR`; 0: any number. A write beyond it is refused with `PROJECT_FULL`; a command is stopped some seconds after it went beyond it.",
    fallback: 10_240,
    min: 0,
    max: 1_073_741_824,
  }),
  projectRoots: absolutePaths(
    'TURNPIKE_PROJECT_ROOTS',
    `Folders that sessions of every principal may work in, and in what is inside of them, beside their own in \`TURNPIKE_PROJECTS_DIR\`; separated by \`${path.delimiter}\`. A key may open more for its sessions. Without API keys, a server that only its own machine reaches lets them work anywhere.`,
  ),
  projectRoot: {
    ...absolutePath(
      ['TURNPIKE_PROJECT_ROOT', 'TURNPIKE_ORACLE_ROOT'],
      'One folder for the conversations of every principal that name none, instead of one for each. A `project_id` of `/api/oracle` names a folder inside it.',
    ),
    fallbackText: "the principal's own in `TURNPIKE_PROJECTS_DIR`",
  },
  attachmentRoots: absolutePaths(
    'TURNPIKE_ATTACHMENT_ROOTS',
    `Folders that attachments may be read from beside the session's project root, separated by \`${path.delimiter}\`.`,
  ),
  blobDir: {
    ...absolutePath(
      'TURNPIKE_BLOB_DIR',
      'Folder of uploaded files and attachments. With several processes, all of them must see it.',
    ),
    fallbackText: '`blobs` in the data folder; with `DATABASE_URL` the files are in the database',
  },
  attachmentMemoryMb: integer('TURNPIKE_ATTACHMENT_MEMORY_MB', {
    about:
      'Most MiB of attachments that one worker has in memory for its running turns; further turns wait. A file takes about four times its size while it is sent.',
    fallback: 128,
    min: 1,
    max: 1_048_576,
  }),
  receiveTimeoutMs: integer('TURNPIKE_RECEIVE_TIMEOUT_MS', {
    about: 'How long an upload may bring no bytes, in ms (408 after it).',
    fallback: 30_000,
    min: 100,
    max: 3_600_000,
  }),
  extractProcesses: integer('TURNPIKE_EXTRACT_PROCESSES', {
    about:
      'Most processes that extract text from files and scale images; started when needed, and shared fairly. With a single process, a slow file delays the others.',
    fallback: 2,
    min: 1,
    max: 64,
  }),
  agentSessionMs: integer('TURNPIKE_AGENT_SESSION_MS', {
    about: 'How long a session of `/agent` is kept without use, in ms; at most 24 days.',
    fallback: 1_800_000,
    min: 1_000,
    max: 2_073_600_000,
  }),
  sessionQueue: integer('TURNPIKE_SESSION_QUEUE', {
    about:
      'Most turns that are held behind the active turn of a session, and most messages that are steered into it at a time.',
    fallback: 16,
    min: 1,
    max: 10_000,
  }),
  workerConcurrency: integer('TURNPIKE_WORKER_CONCURRENCY', {
    about: 'Slots of a worker: the turns that it runs at a time.',
    fallback: 32,
    min: 1,
    max: 10_000,
  }),
  queueDepth: integer('TURNPIKE_QUEUE_DEPTH', {
    about: 'Most turns that are queued; one more is refused with 429 `QUEUE_FULL`.',
    fallback: 1_000,
    min: 1,
    max: 1_000_000,
  }),
  leaseMs: integer('TURNPIKE_LEASE_MS', {
    about: 'How long a turn stays with a worker that no longer renews its lease, in ms.',
    fallback: 30_000,
    min: 1_000,
    max: 600_000,
  }),
  maxAttempts: integer('TURNPIKE_MAX_ATTEMPTS', {
    about:
      'Most attempts of a turn in a row that store nothing because their process dies or loses the turn; then the turn fails with the reason `attempts_exhausted`. An orderly stop, or an attempt that stores something, resets the count.',
    fallback: 3,
    min: 1,
    max: 1_000,
  }),
  disconnectGraceMs: integer('TURNPIKE_DISCONNECT_GRACE_MS', {
    about:
      'How long a turn goes on without any reader, in ms, unless its `opts.onDisconnect` is `continue`.',
    fallback: 5_000,
    min: 0,
    max: 86_400_000,
  }),
  readerTimeoutMs: integer('TURNPIKE_READER_TIMEOUT_MS', {
    about:
      'How long frames may wait for a reader that takes none of them, in ms, before its connection is closed. It resumes by cursor.',
    fallback: 30_000,
    min: 100,
    max: 3_600_000,
  }),
  readers: integer('TURNPIKE_READERS', {
    about:
      'Most streams, and answers that wait for the end of a turn, that a process has open; one more is refused with 503 `TOO_MANY_READERS`.',
    fallback: 10_000,
    min: 1,
    max: 1_000_000,
  }),
  readersPerPrincipal: integer('TURNPIKE_READERS_PER_PRINCIPAL', {
    about:
      'Most of these that a process has open for one principal; one more is refused with 429 `TOO_MANY_READERS`.',
    fallback: 4_000,
    min: 1,
    max: 1_000_000,
  }),
  drainMs: integer('TURNPIKE_DRAIN_MS', {
    about:
      'How long a stop waits for running turns, in ms; other workers or the next start take the rest over.',
    fallback: 5_000,
    min: 0,
    max: 3_600_000,
  }),
  archiveKeepDays: integer('TURNPIKE_ARCHIVE_KEEP_DAYS', {
    about:
      'Days for which the events of an ended turn can be streamed again; 0: as long as its session. After that its stream answers 410 `STREAM_EXPIRED`; its messages stay.',
    fallback: 0,
    min: 0,
    max: 36_500,
  }),
  sessionKeepDays: integer('TURNPIKE_SESSION_KEEP_DAYS', {
    about:
      'Days without use after which a session is deleted, with its turns and files; 0: never. A session with a turn that has not ended is in use.',
    fallback: 0,
    min: 0,
    max: 36_500,
  }),
  fileKeepDays: integer('TURNPIKE_FILE_KEEP_DAYS', {
    about:
      'Days without use of a session after which its files are deleted; 0: as long as the session. A model is then told that the file is no longer stored.',
    fallback: 0,
    min: 0,
    max: 36_500,
  }),
  usageKeepDays: integer('TURNPIKE_USAGE_KEEP_DAYS', {
    about: 'Days for which the daily usage of principals is kept; 0: for ever.',
    fallback: 0,
    min: 0,
    max: 36_500,
  }),
  turnTimeoutMs: integer('TURNPIKE_TURN_TIMEOUT_MS', {
    about: 'Longest time of a turn, in ms.',
    fallback: 3_600_000,
    min: 1_000,
    max: 86_400_000,
  }),
  sessionTokens: integer('TURNPIKE_SESSION_TOKENS', {
    about: 'Most billed tokens of all turns of a session together; 0: no limit.',
    fallback: 0,
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
  }),
  compactPercent: integer('TURNPIKE_COMPACT_PERCENT', {
    about:
      "Share of the model's context window, in percent, from which a conversation is compacted before a turn.",
    fallback: 80,
    min: 10,
    max: 95,
  }),
  maxBodyBytes: integer('TURNPIKE_MAX_BODY_BYTES', {
    about: 'Largest request body, in bytes (413 above).',
    fallback: 1_048_576,
    min: 1_024,
    max: 1_073_741_824,
  }),
  maxConversationBytes: integer('TURNPIKE_MAX_CONVERSATION_BYTES', {
    about:
      'Largest request body of clients that send the whole conversation each time (AG-UI, AI SDK, Responses), in bytes (413 above).',
    fallback: 16_777_216,
    min: 1_024,
    max: 1_073_741_824,
  }),
  maxMessageChars: integer('TURNPIKE_MAX_MESSAGE_CHARS', {
    about: 'Longest message of a turn, in characters.',
    fallback: 400_000,
    min: 1,
    max: 100_000_000,
  }),
  maxSessions: integer('TURNPIKE_MAX_SESSIONS', {
    about: 'Most sessions; further ones are refused with 429 `SESSION_LIMIT`.',
    fallback: 100_000,
    min: 1,
    max: 100_000_000,
  }),
};
