import path from 'node:path';
import * as z from 'zod/mini';
import { packageRoot } from '../../platform/process/package-root.js';
import {
  absolute,
  absolutePath,
  absolutePaths,
  integer,
  optional,
  secret,
  variable,
} from '../variable.js';
import { isBucketUrl } from '../variable-forms.js';

/** Variables of agents, sessions, turns and their files. */
export const turnVariables = {
  instructionRoot: variable(
    ['TURNPIKE_INSTRUCTION_ROOT', 'CHIRALITY_INSTRUCTION_ROOT'],
    {
      about: 'Folder that contains `agents/` ([named agents](../guide/named-agents.md)).',
      fallback: path.join(packageRoot, 'instructions'),
      fallbackText: 'the `instructions` folder of the package',
    },
    absolute,
  ),
  projectsDir: variable(
    'TURNPIKE_PROJECTS_DIR',
    {
      about:
        'Folder of the default project folders: `<principal>` in it for each principal, `default` without API keys. Several processes must share it.',
      fallback: path.resolve('projects'),
      fallbackText: '`projects` in the working folder of the server',
    },
    z.transform((text: string) => path.resolve(text)),
  ),
  projectMb: integer('TURNPIKE_PROJECT_MB', {
    about:
      "Maximum size of a principal's folder in `TURNPIKE_PROJECTS_DIR`; 0: no limit. Writes over it fail with `PROJECT_FULL`; commands are stopped within seconds.",
    fallback: 10_240,
    min: 0,
    max: 1_073_741_824,
  }),
  projectRoots: absolutePaths(
    'TURNPIKE_PROJECT_ROOTS',
    `Folders in which sessions of every principal may work, in addition to their own in \`TURNPIKE_PROJECTS_DIR\`. A key may open more ([access](access.md)).`,
  ),
  projectRoot: {
    ...absolutePath(
      ['TURNPIKE_PROJECT_ROOT', 'TURNPIKE_ORACLE_ROOT'],
      'One default folder for the sessions of all principals, instead of one for each. A `project_id` of `/api/oracle` names a folder inside it.',
    ),
    fallbackText: "the principal's own in `TURNPIKE_PROJECTS_DIR`",
  },
  attachmentRoots: absolutePaths(
    'TURNPIKE_ATTACHMENT_ROOTS',
    `Folders from which attachments may be read, in addition to the session's project root.`,
  ),
  blobDir: {
    ...absolutePath(
      'TURNPIKE_BLOB_DIR',
      'Folder of uploaded files. Several processes must share it.',
    ),
    fallbackText: '`blobs` in the data folder; with `DATABASE_URL` the files are in the database',
  },
  s3Url: optional(
    'TURNPIKE_S3_URL',
    'URL of a bucket for uploaded files, with what stands before their names: `https://s3.eu-central-1.amazonaws.com/bucket/turnpike`, or with the bucket in the host ([files on S3](databases.md#files-on-s3)). Default: none.',
    z.string().check(z.refine(isBucketUrl, 'must be an http or https URL without a query')),
  ),
  s3Region: optional(
    'TURNPIKE_S3_REGION',
    'Region that requests to the bucket are signed for. Default: `us-east-1`.',
  ),
  s3AccessKeyId: optional('TURNPIKE_S3_ACCESS_KEY_ID', 'Id of the key of the bucket.'),
  s3SecretAccessKey: secret('TURNPIKE_S3_SECRET_ACCESS_KEY', 'Secret of that key.'),
  s3SessionToken: secret(
    'TURNPIKE_S3_SESSION_TOKEN',
    'Session token, where the key is a temporary one.',
  ),
  attachmentMemoryMb: integer('TURNPIKE_ATTACHMENT_MEMORY_MB', {
    about:
      'Maximum memory of a worker for files of running turns; further turns wait. A file takes about four times its size while it is sent.',
    fallback: 128,
    min: 1,
    max: 1_048_576,
  }),
  receiveTimeoutMs: integer('TURNPIKE_RECEIVE_TIMEOUT_MS', {
    about: 'How long an upload may pause before it gets 408.',
    fallback: 30_000,
    min: 100,
    max: 3_600_000,
  }),
  extractProcesses: integer('TURNPIKE_EXTRACT_PROCESSES', {
    about: 'Maximum processes that extract text from files and scale images.',
    fallback: 2,
    min: 1,
    max: 64,
  }),
  agentSessionMs: integer('TURNPIKE_AGENT_SESSION_MS', {
    about: 'How long an unused session of `/agent` is kept; at most 24 days.',
    fallback: 1_800_000,
    min: 1_000,
    max: 2_073_600_000,
  }),
  sessionQueue: integer('TURNPIKE_SESSION_QUEUE', {
    about:
      'Maximum turns held behind the active turn of a session, and maximum undelivered messages steered into it.',
    fallback: 16,
    min: 1,
    max: 10_000,
  }),
  workerConcurrency: integer('TURNPIKE_WORKER_CONCURRENCY', {
    about: 'How many turns a worker runs at once.',
    fallback: 32,
    min: 1,
    max: 10_000,
  }),
  queueDepth: integer('TURNPIKE_QUEUE_DEPTH', {
    about: 'Maximum queued turns; one more gets 429 `QUEUE_FULL`.',
    fallback: 1_000,
    min: 1,
    max: 1_000_000,
  }),
  leaseMs: integer('TURNPIKE_LEASE_MS', {
    about: 'How long a worker keeps a turn without renewing its lease.',
    fallback: 30_000,
    min: 1_000,
    max: 600_000,
  }),
  maxAttempts: integer('TURNPIKE_MAX_ATTEMPTS', {
    about:
      'After this many attempts in a row whose process dies or loses the turn before anything new is stored, the turn fails (`attempts_exhausted`). An orderly stop resets the count.',
    fallback: 3,
    min: 1,
    max: 1_000,
  }),
  disconnectGraceMs: integer('TURNPIKE_DISCONNECT_GRACE_MS', {
    about: 'How long a turn continues without readers, unless `opts.onDisconnect` is `continue`.',
    fallback: 5_000,
    min: 0,
    max: 86_400_000,
  }),
  readerTimeoutMs: integer('TURNPIKE_READER_TIMEOUT_MS', {
    about: 'How long a reader may take no frame before its connection is closed.',
    fallback: 30_000,
    min: 100,
    max: 3_600_000,
  }),
  readers: integer('TURNPIKE_READERS', {
    about:
      'Maximum open streams, and answers that wait for a turn’s end, of a process; one more gets 503 `TOO_MANY_READERS`.',
    fallback: 10_000,
    min: 1,
    max: 1_000_000,
  }),
  readersPerPrincipal: integer('TURNPIKE_READERS_PER_PRINCIPAL', {
    about: 'The same for one principal; one more gets 429 `TOO_MANY_READERS`.',
    fallback: 4_000,
    min: 1,
    max: 1_000_000,
  }),
  drainMs: integer('TURNPIKE_DRAIN_MS', {
    about:
      'How long a stop waits for running turns; other workers or the next start continue the rest.',
    fallback: 5_000,
    min: 0,
    max: 3_600_000,
  }),
  archiveKeepDays: integer('TURNPIKE_ARCHIVE_KEEP_DAYS', {
    about:
      'How long events of an ended turn can be streamed again ([retention](backup.md#retention)); 0: as long as its session.',
    fallback: 0,
    min: 0,
    max: 36_500,
  }),
  sessionKeepDays: integer('TURNPIKE_SESSION_KEEP_DAYS', {
    about: 'How long an unused session is kept, with its turns and files; 0: for ever.',
    fallback: 0,
    min: 0,
    max: 36_500,
  }),
  fileKeepDays: integer('TURNPIKE_FILE_KEEP_DAYS', {
    about: 'How long the files of an unused session are kept; 0: as long as the session.',
    fallback: 0,
    min: 0,
    max: 36_500,
  }),
  usageKeepDays: integer('TURNPIKE_USAGE_KEEP_DAYS', {
    about: 'How long the daily usage of principals is kept; 0: for ever.',
    fallback: 0,
    min: 0,
    max: 36_500,
  }),
  turnTimeoutMs: integer('TURNPIKE_TURN_TIMEOUT_MS', {
    about: 'Maximum time of a turn.',
    fallback: 3_600_000,
    min: 1_000,
    max: 86_400_000,
  }),
  sessionTokens: integer('TURNPIKE_SESSION_TOKENS', {
    about: 'Maximum billed tokens of all turns of a session; 0: no limit.',
    fallback: 0,
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
  }),
  compactPercent: integer('TURNPIKE_COMPACT_PERCENT', {
    about:
      "A conversation that fills this percentage of the model's window is summarised before the next turn.",
    fallback: 80,
    min: 10,
    max: 95,
  }),
  maxBodyBytes: integer('TURNPIKE_MAX_BODY_BYTES', {
    about: 'Maximum request body; a larger one gets 413.',
    fallback: 1_048_576,
    min: 1_024,
    max: 1_073_741_824,
  }),
  maxConversationBytes: integer('TURNPIKE_MAX_CONVERSATION_BYTES', {
    about:
      'Maximum request body on the wires whose clients send the whole conversation (AG-UI, AI SDK, Responses).',
    fallback: 16_777_216,
    min: 1_024,
    max: 1_073_741_824,
  }),
  maxMessageChars: integer('TURNPIKE_MAX_MESSAGE_CHARS', {
    about: 'Maximum characters of a turn’s message.',
    fallback: 400_000,
    min: 1,
    max: 100_000_000,
  }),
  conversationCacheMb: integer('TURNPIKE_CONVERSATION_CACHE_MB', {
    about:
      'Maximum memory of a worker for remembered conversations; 0: every turn loads its conversation.',
    fallback: 128,
    min: 0,
    max: 65_536,
  }),
  maxSessions: integer('TURNPIKE_MAX_SESSIONS', {
    about: 'Maximum sessions; one more gets 429 `SESSION_LIMIT`.',
    fallback: 100_000,
    min: 1,
    max: 100_000_000,
  }),
};
