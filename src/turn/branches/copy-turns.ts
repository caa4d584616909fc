import { getTableColumns, inArray, sql, type SQL } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { newId, newTimeId } from '../../platform/ids.js';
import type { Queryable } from '../../storage/connection.js';
import { compactions, notices, turns } from '../../storage/schema.js';
import { sessionBlobs } from '../../storage/file-schema.js';
import { unnest } from '../../storage/statements.js';
import { steeredMessages } from '../../storage/governance-schema.js';
import { tables } from '../../storage/tables.js';
import { messages, steps, toolCalls, turnArchives } from '../../storage/transcript-schema.js';

export interface Copying {
  /** The session that has the turns, and the one that gets the copies. */
  from: string;
  to: string;
  /** The turns to copy, oldest first: all have ended. */
  turns: readonly { id: string; createdAt: Date }[];
}

/** Ids of copies by those of their originals. */
export type CopiedIds = ReadonlyMap<string, string>;

/** Ids of summaries with those of their copies. */
type Summaries = readonly (readonly [string, string])[];

/**
 * Copies turns with all that is history of them, as the register of tables says: messages, steps, calls, notices,
 * summaries, events. They stay in the order that they have, at their times. What is about a run to come is not copied:
 * approvals, leases, keys, who asked for a cancellation, children.
 *
 * Files are not copied: the session is noted as a user of their contents.
 */
export async function copyTurns(tx: Queryable, copying: Copying): Promise<CopiedIds> {
  const ids = newIds(copying.turns);
  if (ids.size === 0) return ids;
  const input = unnest({ old: 'text', new: 'text' }, [...ids]);
  await tx.execute(copyRows(turns, { input, owner: turns.id, set: copiedTurn(copying.to) }));
  const summaries = await copyCompactions(tx, copying, ids);
  const changed = changedColumns(copying, input, summaries);
  for (const { table, owner, forked } of tables) {
    if (!forked || owner?.of !== 'turn') continue;
    const set = { turnId: sql`input.new`, ...changed.get(table) };
    await tx.execute(copyRows(table, { input, owner: owner.column, set }));
  }
  await nameSteered(tx, ids);
  await keepFiles(tx, copying);
  return ids;
}

/** Columns of what belongs to a turn that differ from the original's, beside the id of the turn. */
function changedColumns(
  copying: Copying,
  input: SQL,
  summaries: Summaries,
): ReadonlyMap<PgTable, Record<string, SQL>> {
  const own = { id: sql`'msg_' || gen_random_uuid()`, sessionId: sql`${copying.to}::text` };
  return new Map<PgTable, Record<string, SQL>>([
    [messages, own],
    [steeredMessages, { ...own, idempotencyKey: nothing }],
    [steps, { sent: sentFrom(input) }],
    [turnArchives, { events: eventsOf(copying) }],
    [notices, { mark: markFrom(summaries) }],
  ]);
}

/** Copies have the time of their turn in their id, as every turn has, and the order of the turns. */
function newIds(copied: Copying['turns']): Map<string, string> {
  const made = copied.map(({ createdAt }) => newTimeId('turn', createdAt.getTime())).toSorted();
  return new Map(copied.map(({ id }, index) => [id, made[index] ?? '']));
}

const nothing = sql`null`;

/** Columns of a turn that are about its session, its run, and other turns. */
const copiedTurn = (sessionId: string): Record<string, SQL> => ({
  id: sql`input.new`,
  sessionId: sql`${sessionId}::text`,
  copiedFrom: turns.id.getSQL(),
  leftOut: sql`nullif(${turns.leftOut}, 'superseded')`,
  leaseUntil: nothing,
  idempotencyKey: nothing,
  parentTurnId: nothing,
  parentCallId: nothing,
  childTerms: nothing,
  hasNext: sql`false`,
  replaces: nothing,
  supersededBy: nothing,
  traceparent: nothing,
  tracestate: nothing,
  lastTraceparent: nothing,
});

interface Copied {
  /** Pairs of ids. */
  input: SQL;
  /** The column of the id that the pairs are about. */
  owner: PgColumn;
  /** Columns that differ from the original's, by field. */
  set: Record<string, SQL>;
}

function copyRows(table: PgTable, { input, owner, set }: Copied): SQL {
  const columns = Object.entries<PgColumn>(getTableColumns(table));
  const names = columns.map(([, column]) => sql.identifier(column.name));
  const values = columns.map(([field, column]) => set[field] ?? column);
  return sql`
    insert into ${table} (${sql.join(names, sql`, `)})
    select ${sql.join(values, sql`, `)} from ${table} join ${input} on input.old = ${owner}`;
}

/** The first step whose thinking was sent is a step of the copies. */
function sentFrom(input: SQL): SQL {
  const key = sql`(${steps.sent} ->> 'thinkingFrom')`;
  return sql`case when ${key} is null then ${steps.sent} else json_build_object(
    'hash', ${steps.sent} ->> 'hash', 'thinkingFrom', (
      select input.new || substr(${key}, length(input.old) + 1) from ${input}
      where input.old = split_part(${key}, ':', 1))) end`;
}

/** A turn's events name its session and its message; within their texts quotes are escaped. */
function eventsOf({ from, to }: Copying): SQL {
  const named = (field: string, id: SQL): SQL => sql`${`"${field}":"`}::text || ${id} || '"'`;
  const message = (id: SQL): SQL => sql`replace(${id}, 'turn_', 'msg_')`;
  return sql`replace(replace(${turnArchives.events}::text,
      ${named('sessionId', sql`${from}::text`)}, ${named('sessionId', sql`${to}::text`)}),
      ${named('messageId', message(sql`input.old`))}, ${named('messageId', message(sql`input.new`))})::json`;
}

/** Names the copies of steered messages in the events of their turns. */
async function nameSteered(tx: Queryable, ids: CopiedIds): Promise<void> {
  const { id, turnId, position } = steeredMessages;
  const copied = await tx
    .select({ id, turnId, position })
    .from(steeredMessages)
    .where(inArray(turnId, [...ids].flat()));
  for (const [original, copy] of ids) {
    const of = (turn: string) => copied.filter((message) => message.turnId === turn);
    const pairs = of(original).flatMap((old) => {
      const own = of(copy).find((message) => message.position === old.position);
      return own === undefined ? [] : [[named('messageId', old.id), named('messageId', own.id)]];
    });
    if (pairs.length === 0) continue;
    const events = pairs.reduce(
      (text, [old, own]) => sql`replace(${text}, ${old}::text, ${own}::text)`,
      sql`${turnArchives.events}::text`,
    );
    await tx.execute(sql`
      update ${turnArchives} set events = ${events}::json where ${turnArchives.turnId} = ${copy}`);
  }
}

function named(field: string, id: string): string {
  return `"${field}":"${id}"`;
}

/** Copies the summaries of the copied turns. @returns their ids with those of the copies. */
async function copyCompactions(
  tx: Queryable,
  { from, to }: Copying,
  ids: CopiedIds,
): Promise<Summaries> {
  const found = await tx
    .select({ id: compactions.id, throughTurnId: compactions.throughTurnId })
    .from(compactions)
    .where(sql`${compactions.sessionId} = ${from}`);
  const copied = found.flatMap(({ id, throughTurnId }) => {
    const through = ids.get(throughTurnId);
    return through === undefined ? [] : [[id, newId('cmp'), through] as const];
  });
  if (copied.length === 0) return [];
  const input = unnest({ old: 'text', new: 'text', through: 'text' }, copied);
  const set = {
    id: sql`input.new`,
    sessionId: sql`${to}::text`,
    throughTurnId: sql`input.through`,
  };
  await tx.execute(copyRows(compactions, { input, owner: compactions.id, set }));
  return copied.map(([old, copy]) => [old, copy]);
}

/** A notice that announces a summary is marked with its id. */
function markFrom(summaries: Summaries): SQL {
  const input = unnest({ old_summary: 'text', new_summary: 'text' }, summaries);
  return sql`coalesce((select replace(${notices.mark}, input.old_summary, input.new_summary) from ${input}
    where ${notices.kind} = 'compact-summary' and ${notices.mark} like '%' || input.old_summary), ${notices.mark})`;
}

/** Keeps the files of the copied messages and outputs for as long as the session. */
function keepFiles(tx: Queryable, { from, to }: Copying): Promise<unknown> {
  return tx.execute(sql`
    insert into ${sessionBlobs} (session_id, sha256)
    select ${to}::text, used.sha256 from ${sessionBlobs} used
    where used.session_id = ${from} and used.sha256 in (
      select part -> 'file' ->> 'sha256'
      from ${messages}, json_array_elements(${messages.parts}) part where ${messages.sessionId} = ${to}
      union
      select file ->> 'sha256'
      from ${toolCalls} join ${turns} on ${turns.id} = ${toolCalls.turnId},
        json_array_elements(${toolCalls.files}) file where ${turns.sessionId} = ${to})`);
}
