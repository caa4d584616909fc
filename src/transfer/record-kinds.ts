import { getTableColumns } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { compactions, notices, todos } from '../storage/conversation-schema.js';
import { approvals, sessionGrants, steeredMessages } from '../storage/governance-schema.js';
import { feedback } from '../storage/feedback-schema.js';
import { memoryFiles } from '../storage/memory-schema.js';
import { sessions, turns } from '../storage/schema.js';
import { messages, steps, toolCalls, turnArchives } from '../storage/transcript-schema.js';

/** Rows of a table, as records of an export. */
export interface RecordKind {
  /** The type of its lines. */
  type: string;
  table: PgTable;
  /** Columns of the lines by the names of their fields. */
  columns: Readonly<Record<string, PgColumn>>;
  /** The column with the session or turn that the rows belong to. */
  owner: PgColumn;
  /** Order of the rows. */
  order: readonly PgColumn[];
}

interface KindInit {
  owner: PgColumn;
  order?: readonly PgColumn[];
  /** Fields that stay behind. */
  without?: readonly string[];
}

function recordKind(
  type: string,
  table: PgTable,
  { owner, order = [], without = [] }: KindInit,
): RecordKind {
  const all = Object.entries<PgColumn>(getTableColumns(table));
  const columns = Object.fromEntries(all.filter(([name]) => !without.includes(name)));
  return { type, table, columns, owner, order };
}

/**
 * A session. Credentials of its MCP servers stay behind, as everywhere; so does the beginning of its requests,
 * which is the operator's and is made anew. The session of a replay is not exported.
 */
export const sessionKind = recordKind('session', sessions, {
  owner: sessions.id,
  without: ['mcpServers', 'prefix', 'replayOf'],
});

/** A turn. Its lease is of this deployment. */
export const turnKind = recordKind('turn', turns, { owner: turns.id, without: ['leaseUntil'] });

/** What belongs to a session and to no turn. */
export const sessionKinds: readonly RecordKind[] = [
  recordKind('todos', todos, { owner: todos.sessionId }),
  recordKind('grant', sessionGrants, {
    owner: sessionGrants.sessionId,
    order: [sessionGrants.createdAt, sessionGrants.rule],
  }),
  recordKind('compaction', compactions, {
    owner: compactions.sessionId,
    order: [compactions.createdAt, compactions.id],
  }),
];

/** What belongs to a turn. */
export const turnKinds: readonly RecordKind[] = [
  recordKind('message', messages, {
    owner: messages.turnId,
    order: [messages.createdAt, messages.id],
  }),
  recordKind('steered', steeredMessages, {
    owner: steeredMessages.turnId,
    order: [steeredMessages.position],
  }),
  recordKind('step', steps, { owner: steps.turnId, order: [steps.step] }),
  recordKind('call', toolCalls, {
    owner: toolCalls.turnId,
    order: [toolCalls.step, toolCalls.callId],
  }),
  recordKind('approval', approvals, {
    owner: approvals.turnId,
    order: [approvals.createdAt, approvals.id],
  }),
  recordKind('notice', notices, {
    owner: notices.turnId,
    order: [notices.afterStep, notices.position, notices.mark],
  }),
  recordKind('feedback', feedback, { owner: feedback.turnId, order: [feedback.key] }),
  recordKind('events', turnArchives, {
    owner: turnArchives.turnId,
    order: [turnArchives.attempt, turnArchives.firstSeq],
  }),
];

/** A file of a memory, which belongs to no session. Its version is of this deployment. */
export const memoryFileKind = recordKind('memoryFile', memoryFiles, {
  owner: memoryFiles.principalId,
  without: ['version', 'bytes', 'callId'],
});

/** Tables without records, and why; `file` lines have the rows of the first three. */
export const notExported: Readonly<Record<string, string>> = {
  blobs: 'lines `file` name the files, and lines `bytes` have what is in them',
  blob_chunks: 'lines `bytes` have the bytes, wherever they are stored',
  session_blobs: 'a line `file` stands in the session that has the file',
  blob_writes: 'a write that is under way is of this deployment',
  extractions: 'the text in a file is made again from its bytes',
  uploads: 'no turn has named the file yet',
  memories: 'the revision counts changes here; files bring their memory with them',
  memory_seen: 'versions are given anew, so that nothing was seen of them',
  user_settings: 'preferences are of a principal of this deployment',
  api_keys: 'credentials stay behind',
  usage_days: 'it is what this deployment spent',
  audit_log: 'it is what was done here',
  models: 'it is what the provider of this deployment describes',
  webhook_endpoints: 'secrets stay behind, and both deployments would send',
  webhook_deliveries: 'both deployments would send them',
  schedules: 'both deployments would submit their turns',
  schedule_runs: 'they are of schedules, which stay behind',
  turn_readers: 'no reader of another deployment is connected here',
  reader_processes: 'processes are of this deployment',
};

/** All kinds by the types of their lines. */
export const recordKinds: ReadonlyMap<string, RecordKind> = new Map(
  [sessionKind, ...sessionKinds, turnKind, ...turnKinds, memoryFileKind].map((kind) => [
    kind.type,
    kind,
  ]),
);
