import { sql, type SQL } from 'drizzle-orm';
import type { StoredPart } from '../../storage/shapes/stored-part.js';
import type {
  InheritedPermissions,
  SubagentDecision,
} from '../../storage/shapes/stored-permissions.js';
import type { DayLimits } from '../../storage/shapes/stored-limits.js';
import type { OptionResolution } from '../../storage/shapes/stored-options.js';
import { newId } from '../../platform/ids.js';
import type { Queryable } from '../../storage/connection.js';
import { isPlainObject } from '../../platform/json.js';
import { encodeRow, givenParams, typesOf, unnest } from '../../storage/given-rows.js';
import { KnownStatements } from '../../storage/known-statement.js';
import { messages } from '../../storage/transcript-schema.js';
import { turnReaders } from '../../storage/reader-schema.js';
import { turns } from '../../storage/schema.js';
import type { StoredTrace } from '../../storage/shapes/stored-trace.js';
import type { StoredRequest } from '../../storage/shapes/stored-turn.js';
import { findSteeredByKey } from './store-steered-message.js';
import type { CheckedToldTurn } from './turn-submission.js';
import { READER_LEASE_MS } from '../lifecycle/reader-rows.js';

export interface NewTurn {
  sessionId: string;
  /** The principal whose turn it is. */
  principalId: string;
  /** Limits of the principal's day; absent: none. */
  budget?: DayLimits | undefined;
  request: StoredRequest;
  /** Hash of the normalised body: a second use of an idempotency key must have the same. */
  requestHash: string;
  idempotencyKey: string | undefined;
  options: OptionResolution;
  delegation: SubagentDecision;
  parts: StoredPart[];
  /** Turns that are stored before it. Absent: none. */
  told?: readonly CheckedToldTurn[] | undefined;
  /** See `TurnSubmission`. */
  toldFirst?: boolean;
  /** See `TurnSubmission`. */
  clientHistory?: string | undefined;
  now: Date;
  /** The process that serves the turn's reader; absent: the turn needs none. */
  readerProcess?: string | undefined;
  /** The span that accepts the turn; absent: none. */
  trace?: StoredTrace | undefined;
  /** The turn whose place it takes; absent: it follows the last one. */
  replaces?: string | undefined;
  /** Links a subagent's turn to the call that asked for it. */
  child?: { parentTurnId: string; parentCallId: string; childTerms: InheritedPermissions };
}

export interface Insertion {
  id: string;
  /** Most turns that may be queued; no more are stored. */
  most: number;
  /** Behind the active turn of its session; absent: the turn takes the session's lock. */
  held?: { goesFirst: boolean };
}

/** The rows of a turn and of its user message. */
export function turnRows(
  id: string,
  turn: Omit<NewTurn, 'readerProcess' | 'told'>,
  held?: Insertion['held'],
): { turn: typeof turns.$inferInsert; message: typeof messages.$inferInsert } {
  const { parts, child, trace, now: createdAt, ...stored } = turn;
  const { sessionId, idempotencyKey = null } = turn;
  const status = held === undefined ? 'queued' : 'held';
  return {
    turn: { ...stored, ...child, ...held, ...trace, id, idempotencyKey, status, createdAt },
    message: { id: newId('msg'), sessionId, turnId: id, role: 'user', parts, createdAt },
  };
}

const { id, sessionId, status, request, requestHash, idempotencyKey, options, delegation } = turns;
const { principalId, parentTurnId, parentCallId, childTerms, budget, goesFirst, createdAt } = turns;
const { traceparent, tracestate, clientHistory } = turns;
const turnColumns = {
  id,
  sessionId,
  status,
  request,
  requestHash,
  idempotencyKey,
  options,
  delegation,
  principalId,
  parentTurnId,
  parentCallId,
  childTerms,
  budget,
  goesFirst,
  traceparent,
  tracestate,
  clientHistory,
  createdAt,
};
const givenColumns = {
  ...turnColumns,
  messageId: messages.id,
  parts: messages.parts,
  readerProcess: turnReaders.processId,
};
const givenTypes = { ...typesOf(givenColumns), most: 'integer' };

/**
 * Stores turns with their messages in one statement, each unless as many turns wait as its `most`, or a
 * message with its idempotency key was steered into another turn.
 *
 * @param conflict what happens to a turn that violates a rule: an error, or `skipped` without one.
 * @returns ids of those that were stored.
 */
export async function insertTurns(
  db: Queryable,
  insertions: readonly { turn: NewTurn; insertion: Insertion }[],
  conflict: 'throws' | 'is skipped',
): Promise<Set<string>> {
  const rows = insertions.map(({ turn: { readerProcess, told: _told, ...stored }, insertion }) => {
    const { turn, message } = turnRows(insertion.id, stored, insertion.held);
    const row = { ...turn, goesFirst: turn.goesFirst ?? false, readerProcess };
    const { id: messageId, parts } = message;
    return [...encodeRow(givenColumns, { ...row, messageId, parts }), insertion.most];
  });
  const inserted = await db.execute(
    statements.of(conflict, givenParams(givenTypes, rows), () => buildInsert(conflict)),
  );
  return new Set(inserted.rows.flatMap((row) => (isPlainObject(row) ? [String(row['id'])] : [])));
}

const statements = new KnownStatements();

function buildInsert(conflict: 'throws' | 'is skipped'): SQL {
  return sql`
    with queued as (select count(*) as turns from ${turns} where ${turns.status} = 'queued'),
    given as materialized (
      select given.* from ${unnest(givenTypes)}, queued where queued.turns < given.most
        and (given."idempotencyKey" is null or not exists (select from joined_messages steered
          where steered.session_id = given."sessionId"
            and steered.idempotency_key = given."idempotencyKey"))),
    accepted as (
      insert into turns (${sql.raw(turnNames.join())}) select ${sql.raw(givenNames.join())} from given
      ${conflict === 'throws' ? sql`` : sql`on conflict do nothing`} returning id, created_at),
    message as (
      insert into messages (id, session_id, turn_id, role, parts, created_at)
      select "messageId", "sessionId", id, 'user', parts, created_at from given join accepted using (id)),
    reader as (
      -- The sender of a turn counts as its reader from the moment the turn is stored.
      insert into turn_readers (turn_id, process_id, until, has_left)
      select id, "readerProcess", now() + interval '${sql.raw(`${READER_LEASE_MS} milliseconds`)}', false
      from given join accepted using (id) where "readerProcess" is not null)
    select id from accepted`;
}

const turnNames = Object.values(turnColumns).map(({ name }) => name);
/** The clock of another process may have been ahead: a turn comes after all that its session has. */
const afterLast = `greatest("createdAt", (select max(last.created_at) + interval '1 millisecond' from turns last
  where last.session_id = given."sessionId"))`;
const givenNames = Object.keys(turnColumns).map((name) =>
  name === 'createdAt' ? afterLast : `"${name}"`,
);

/**
 * @returns `queue-full` when as many turns wait already, `key-taken` when a message with the turn's
 *   idempotency key was steered into another turn; nothing is stored then.
 */
export async function insertTurn(
  db: Queryable,
  turn: NewTurn,
  insertion: Insertion,
): Promise<'stored' | 'queue-full' | 'key-taken'> {
  if (insertion.most <= 0) return 'queue-full';
  const stored = await insertTurns(db, [{ turn, insertion }], 'throws');
  if (stored.has(insertion.id)) return 'stored';
  const { sessionId: ofSession, idempotencyKey: key } = turn;
  const isSteered = key !== undefined && (await findSteeredByKey(db, ofSession, key));
  return isSteered ? 'key-taken' : 'queue-full';
}
