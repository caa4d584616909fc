import { getTableColumns, sql, type SQL } from 'drizzle-orm';
import type { AuditEntry } from '../access/audit-log.js';
import { newTimeId } from '../platform/ids.js';
import type { Database, Queryable } from '../storage/connection.js';
import { auditLog } from '../storage/governance-schema.js';
import { sessionCounts, sessions } from '../storage/schema.js';
import {
  batchPool,
  encodeRow,
  inputParams,
  lockFor,
  NamedStatements,
  typesOf,
  unnest,
} from '../storage/statements.js';
import { pickColumns } from '../storage/write-kind.js';

/**
 * The most sessions that the whole deployment stores at the same time, in transactions that do not see each other.
 * While at least as many are free, they cannot exceed the limit; after that, sessions are stored one by one.
 */
const MAX_IN_FLIGHT = 500;

const fields = Object.keys(getTableColumns(sessions)).filter((name) => name !== 'prefix');
const columns = pickColumns(sessions, fields);
const inputColumns = { ...columns, auditId: auditLog.id, details: auditLog.details };
const types = { ...typesOf(inputColumns), maxSessions: 'integer' };
const statements = new NamedStatements('insert_sessions');

/** A session that is to be stored, with the details of its audit entry. */
export interface NotedSession {
  session: Omit<typeof sessions.$inferSelect, 'prefix'>;
  details: Record<string, unknown>;
}

/**
 * Stores empty sessions that come in the same moment in one statement, each with its audit entry.
 *
 * @returns whether each is stored; none is where the limit is near.
 * @throws where one has the id of a session that exists: none is stored.
 */
export async function insertSessions(
  db: Database,
  rows: readonly NotedSession[],
  maxSessions: number,
): Promise<boolean[]> {
  const input = rows.map(({ session, details }) => {
    const auditId = newTimeId('audit', session.createdAt.getTime());
    const row = encodeRow(inputColumns, { ...session, auditId, details });
    return [...row, maxSessions - MAX_IN_FLIGHT];
  });
  const params = inputParams(types, input);
  const stored = await batchPool(db).runNamed(statements.of('', params, buildInsert));
  const ids = new Set(stored.map(({ id }) => id));
  return rows.map(({ session }) => ids.has(session.id));
}

function buildInsert(): SQL {
  const names = Object.values(columns).map(({ name }) => name);
  const action: AuditEntry['action'] = 'session.created';
  return sql`
    with input as materialized (select input.* from ${unnest(types)} where input."maxSessions" >
      (select sum(counts.sessions) from ${sessionCounts} counts)),
    created as (
      insert into sessions (${sql.raw(names.join())})
      select ${sql.raw(fields.map((name) => `"${name}"`).join())} from input returning id),
    noted as (
      insert into audit_log (id, at, principal_id, action, subject, details)
      select "auditId", "createdAt", "principalId", ${sql.raw(`'${action}'`)}, id, details
      from input join created using (id))
    select id from created`;
}

/**
 * Counts the sessions with those of this transaction, and keeps others from being stored until it ends: to be called
 * last, so that a session with much content keeps no other one waiting.
 */
export async function countSessions(tx: Queryable): Promise<number> {
  await lockFor(tx, 'create-session');
  await tx.execute(sql`set constraints session_counted immediate`);
  const counts = await tx.select({ sessions: sessionCounts.sessions }).from(sessionCounts);
  return counts.reduce((sum, one) => sum + one.sessions, 0);
}
