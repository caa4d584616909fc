import { getTableName, sql, type SQL } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import {
  compactions,
  notices,
  todos,
  userPreferences,
  feedback,
  models,
  readerProcesses,
  turnReaders,
  sessionCounts,
  sessions,
  turns,
} from './schema.js';
import {
  blobChunks,
  blobs,
  blobWrites,
  extractions,
  sessionBlobs,
  uploads,
  memories,
  memoryFiles,
  memorySeen,
} from './file-schema.js';
import {
  apiKeys,
  approvalAnswers,
  approvals,
  auditLog,
  grants,
  logins,
  principalEpochs,
  serverSecrets,
  dataKeys,
  sessionGrants,
  steeredMessages,
  usageDays,
  usageKept,
} from './governance-schema.js';
import {
  scheduleRuns,
  schedules,
  webhookDeliveries,
  webhookEndpoints,
} from './automation-schema.js';
import { mcpBegunLogins, mcpClients, mcpLogins } from './mcp-schema.js';
import { messages, steps, toolCalls, turnArchives } from './transcript-schema.js';

/** What is done with the rows of a table by whatever goes over all tables. */
export interface TableEntry {
  table: PgTable;
  /** Null: the deployment, or what the rows refer to. */
  owner: TableOwner | null;
  /** How the rows stand in an export; a text: why they stay behind. */
  exported: ExportedRows | string;
  /** Whether a fork of a session has copies of the rows. */
  forked: boolean;
  /**
   * When the data of a principal is erased. `closed`: each row is ended and deleted by itself. `reference`: foreign
   * keys delete the rows with those that they refer to. `first`, `last`: the rows that name the principal are deleted
   * before its sessions, or after them. `turn`: those that name its turns are. `stripped`: they stay, and do not tell
   * whose they were. `never`: no row is about anybody.
   */
  erased: 'closed' | 'reference' | 'first' | 'last' | 'turn' | 'stripped' | 'never';
  /** What ends the rows beside their owner, in words; or days after a time, from the configuration. */
  kept: string | KeptDays;
}

/** Whose the rows are, and the column that names it. */
export interface TableOwner {
  of: 'principal' | 'session' | 'turn';
  column: PgColumn;
}

interface ExportedRows {
  /** The type of their lines. */
  as: string;
  /** The order of the rows of one owner. */
  order?: readonly PgColumn[];
  /** Fields that stay behind. */
  without?: readonly string[];
}

/** Rows that the housekeeper deletes. */
export interface KeptDays {
  /** Variable of the configuration with their days; 0: as long as their owner. */
  days:
    | 'archiveKeepDays'
    | 'usageKeepDays'
    | 'webhookKeepDays'
    | 'memoryKeepDays'
    | 'scheduleRunKeepDays'
    | 'auditKeepDays';
  /** The time from which the days count: of the row, or of the turn that it belongs to. */
  since: PgColumn;
  /** Rows that stay, however old they are. Absent: none. */
  stays?: SQL;
}

/** The entry by which workers know the issuers of the API. */
const lastIssuers = sql`${auditLog.id} = (
  select max(${auditLog.id}) from ${auditLog} where ${auditLog.action} = 'auth.configured')`;

const ownedBy = (of: TableOwner['of'], column: PgColumn): TableOwner => ({ of, column });

/** Rows of a session or a turn that go with it, by a foreign key. */
const goesWith = (
  of: 'session' | 'turn',
  column: PgColumn,
): Pick<TableEntry, 'owner' | 'erased' | 'kept'> => ({
  owner: ownedBy(of, column),
  erased: 'reference',
  kept: `as its ${of}`,
});

/** Rows of a principal that are erased when its sessions are. */
const ofPrincipal = (column: PgColumn): Pick<TableEntry, 'owner' | 'forked' | 'erased'> => ({
  owner: ownedBy('principal', column),
  forked: false,
  erased: 'last',
});

/** Rows of nobody. */
const ofDeployment = { owner: null, forked: false, erased: 'never' } as const;

/**
 * Every table, in the order of an export. Export and import, forks, the erasure of a principal and the housekeeper
 * follow from it; tests do not start while a table is missing.
 */
export const tables: readonly TableEntry[] = [
  // A session. Credentials of its MCP servers stay behind, as everywhere; so does the beginning of its requests, which
  // is the operator's and is made anew. The session of a replay is not exported.
  {
    table: sessions,
    owner: ownedBy('principal', sessions.principalId),
    exported: {
      as: 'session',
      without: ['headTurnId', 'headWorker', 'mcpServers', 'prefix', 'replayOf'],
    },
    forked: false,
    erased: 'closed',
    kept: 'its own term, and TURNPIKE_SESSION_KEEP_DAYS without use (expireSessions)',
  },
  {
    table: todos,
    ...goesWith('session', todos.sessionId),
    exported: { as: 'todos' },
    // Those of the point that the fork begins at.
    forked: false,
  },
  {
    table: sessionGrants,
    ...goesWith('session', sessionGrants.sessionId),
    exported: { as: 'grant', order: [sessionGrants.createdAt, sessionGrants.rule] },
    forked: false,
  },
  {
    table: compactions,
    ...goesWith('session', compactions.sessionId),
    exported: { as: 'compaction', order: [compactions.createdAt, compactions.id] },
    forked: true,
  },
  {
    table: memorySeen,
    ...goesWith('session', memorySeen.sessionId),
    exported: 'versions are given anew, so that nothing was seen of them',
    forked: false,
  },
  {
    table: sessionBlobs,
    ...goesWith('session', sessionBlobs.sessionId),
    exported: 'a line `file` stands in the session that has the file',
    forked: true,
    kept: 'as its session, and TURNPIKE_FILE_KEEP_DAYS without use (releaseFiles)',
  },
  // A turn. Its lease is of this deployment.
  {
    table: turns,
    ...goesWith('session', turns.sessionId),
    exported: { as: 'turn', without: ['leaseUntil', 'preferredUntil', 'preferredWorker'] },
    forked: true,
  },
  {
    table: messages,
    ...goesWith('turn', messages.turnId),
    exported: { as: 'message', order: [messages.createdAt, messages.id] },
    forked: true,
  },
  {
    table: steeredMessages,
    ...goesWith('turn', steeredMessages.turnId),
    exported: { as: 'steered', order: [steeredMessages.position] },
    forked: true,
  },
  {
    table: steps,
    ...goesWith('turn', steps.turnId),
    exported: { as: 'step', order: [steps.step] },
    forked: true,
  },
  {
    table: toolCalls,
    ...goesWith('turn', toolCalls.turnId),
    exported: { as: 'call', order: [toolCalls.step, toolCalls.callId] },
    forked: true,
  },
  {
    table: approvals,
    ...goesWith('turn', approvals.turnId),
    exported: { as: 'approval', order: [approvals.createdAt, approvals.id] },
    forked: false,
  },
  {
    table: approvalAnswers,
    ...ofPrincipal(approvalAnswers.principalId),
    exported: 'people answer where they are; the approval has what they decided',
    kept: 'as its approval',
  },
  {
    table: notices,
    ...goesWith('turn', notices.turnId),
    exported: { as: 'notice', order: [notices.afterStep, notices.position, notices.mark] },
    forked: true,
  },
  {
    table: feedback,
    ...goesWith('turn', feedback.turnId),
    exported: { as: 'feedback', order: [feedback.key] },
    forked: false,
  },
  {
    table: turnArchives,
    ...goesWith('turn', turnArchives.turnId),
    exported: { as: 'events', order: [turnArchives.attempt, turnArchives.firstSeq] },
    forked: true,
    kept: { days: 'archiveKeepDays', since: turns.endedAt },
  },
  {
    table: turnReaders,
    owner: ownedBy('turn', turnReaders.turnId),
    exported: 'no reader of another deployment is connected here',
    forked: false,
    erased: 'turn',
    kept: 'an hour after the end of the lease (removeOldReports)',
  },
  // A file of a memory. Its version is of this deployment.
  {
    table: memoryFiles,
    ...ofPrincipal(memoryFiles.principalId),
    exported: { as: 'memoryFile', without: ['version', 'bytes', 'callId'] },
    erased: 'reference',
    kept: { days: 'memoryKeepDays', since: memoryFiles.updatedAt },
  },
  {
    table: memories,
    ...ofPrincipal(memories.principalId),
    exported: 'the revision counts changes here; files bring their memory with them',
    kept: 'as its principal',
  },
  {
    table: uploads,
    ...ofPrincipal(uploads.principalId),
    exported: 'no turn has named the file yet',
    kept: 'a day (BlobStore.collect)',
  },
  {
    table: userPreferences,
    ...ofPrincipal(userPreferences.userId),
    exported: 'preferences are of a principal of this deployment',
    kept: 'as its principal',
  },
  {
    table: schedules,
    ...ofPrincipal(schedules.principalId),
    exported: 'both deployments would submit their turns',
    // No turn of theirs is stored from then on.
    erased: 'first',
    kept: 'as its principal',
  },
  {
    table: scheduleRuns,
    owner: null,
    exported: 'they are of schedules, which stay behind',
    forked: false,
    erased: 'reference',
    kept: { days: 'scheduleRunKeepDays', since: scheduleRuns.createdAt },
  },
  {
    table: webhookEndpoints,
    ...ofPrincipal(webhookEndpoints.principalId),
    exported: 'secrets stay behind, and both deployments would send',
    kept: 'as its principal',
  },
  // Whatever became of them. Among them are those whose webhook was deleted while they were stored.
  {
    table: webhookDeliveries,
    owner: ownedBy('turn', webhookDeliveries.turnId),
    exported: 'both deployments would send them',
    forked: false,
    erased: 'turn',
    kept: { days: 'webhookKeepDays', since: webhookDeliveries.createdAt },
  },
  {
    table: apiKeys,
    ...ofPrincipal(apiKeys.principalId),
    exported: 'credentials stay behind',
    // The server must go on to know that it has had keys.
    erased: 'stripped',
    kept: 'for ever',
  },
  // After all that it opens.
  {
    table: dataKeys,
    ...ofPrincipal(dataKeys.principalId),
    exported: 'secrets stay behind',
    kept: 'as its principal',
  },
  {
    table: usageDays,
    ...ofPrincipal(usageDays.principalId),
    exported: 'it is what this deployment spent',
    // What the deployment spent on a day is not changed.
    erased: 'stripped',
    kept: { days: 'usageKeepDays', since: usageDays.day },
  },
  {
    table: usageKept,
    ...ofPrincipal(usageKept.principalId),
    exported: 'it is what this deployment spent',
    erased: 'stripped',
    kept: { days: 'usageKeepDays', since: usageKept.day },
  },
  {
    table: auditLog,
    ...ofPrincipal(auditLog.principalId),
    exported: 'it is what was done here',
    erased: 'stripped',
    kept: { days: 'auditKeepDays', since: auditLog.at, stays: lastIssuers },
  },
  {
    table: grants,
    ...ofPrincipal(grants.principalId),
    exported: 'credentials stay behind',
    // As the schedules that act by them.
    erased: 'first',
    kept: '90 days since the last token, until a schedule is to act by it',
  },
  {
    table: logins,
    ...ofPrincipal(logins.principalId),
    exported: 'credentials stay behind',
    erased: 'first',
    kept: 'until it ends: 8 hours without use, a day at most (removeEndedLogins)',
  },
  {
    table: mcpLogins,
    ...ofPrincipal(mcpLogins.principalId),
    exported: 'secrets stay behind',
    // After each was revoked at its issuer.
    erased: 'first',
    kept: 'until its person ends it, or its issuer does (McpLogins)',
  },
  {
    table: mcpBegunLogins,
    ...ofPrincipal(mcpBegunLogins.principalId),
    exported: 'secrets stay behind',
    erased: 'first',
    kept: 'until its end, ten minutes at most (removeBegunMcpLogins)',
  },
  {
    table: mcpClients,
    ...ofDeployment,
    exported: 'secrets stay behind',
    kept: 'until its issuer takes it no more, or an administrator forgets it',
  },
  {
    table: principalEpochs,
    ...ofDeployment,
    exported: 'tokens are of this deployment',
    kept: 'for good: there is a row for each principal whose access was ended',
  },
  {
    table: serverSecrets,
    ...ofDeployment,
    exported: 'secrets stay behind',
    kept: 'for good: there is a row for each use',
  },
  {
    table: blobs,
    ...ofDeployment,
    exported: 'lines `file` name the files, and lines `bytes` have what is in them',
    kept: 'an hour without use (BlobStore.collect)',
  },
  {
    table: blobChunks,
    ...ofDeployment,
    exported: 'lines `bytes` have the bytes, wherever they are stored',
    kept: 'as their content',
  },
  {
    table: blobWrites,
    ...ofDeployment,
    exported: 'a write that is under way is of this deployment',
    kept: 'until the write has ended, or an hour (BlobStore.collect)',
  },
  {
    table: extractions,
    ...ofDeployment,
    exported: 'the text in a file is made again from its bytes',
    erased: 'reference',
    kept: 'as their content',
  },
  {
    table: models,
    ...ofDeployment,
    exported: 'it is what the provider of this deployment describes',
    kept: 'until the provider describes them anew',
  },
  {
    table: sessionCounts,
    ...ofDeployment,
    exported: 'sessions are counted where they are stored',
    kept: 'for good: there are eight rows',
  },
  {
    table: readerProcesses,
    ...ofDeployment,
    exported: 'processes are of this deployment',
    kept: 'an hour after its last report (removeOldReports)',
  },
];

/** Tables of a database that no entry is about, and entries about no table. */
export function compareTables(stored: readonly string[]): string[] {
  const known = tables.map(({ table }) => getTableName(table));
  return [
    ...stored.filter((name) => !known.includes(name)),
    ...known.filter((name) => !stored.includes(name)),
  ];
}
