import { and, count, eq, inArray, isNull, sql, type SQL } from 'drizzle-orm';
import { newId, newTimeId } from '../../platform/ids.js';
import type { Database, Queryable } from '../../storage/connection.js';
import { isPlainObject } from '../../platform/json.js';
import {
  encodeRow,
  inputParams,
  typesOf,
  unnest,
  NamedStatements,
  batchPool,
  lockFor,
  lockKey,
} from '../../storage/statements.js';
import { messages } from '../../storage/transcript-schema.js';
import { turnReaders, turns } from '../../storage/schema.js';
import { insertKind, pickColumns, type StoreWrite } from '../../storage/write-kind.js';
import { insertMessage } from '../state/stored-turn.js';
import { unendedStatuses } from '../../storage/shapes/stored-turn.js';
import { READER_LEASE_MS } from '../lifecycle/presence.js';
import { Batcher } from '../../platform/async/batcher.js';
import { isDatabaseDown, violatedConstraint } from '../../storage/database-errors.js';
import { PREFERENCE_MS } from '../queue/choose-fairly.js';
import { supersedeTurns } from '../branches/supersede-turns.js';
import { findSteeredByKey } from './steer-turn.js';
import type { NewTurn, ExtraWrites } from './turn-submission.js';
import { storeClientTurns } from './client-turns.js';

interface Insertion {
  id: string;
  /** Most turns that may be queued; no more are stored. */
  maxQueued: number;
  /** Behind the active turn of its session; absent: the turn takes the session's lock. */
  held?: { goesFirst: boolean };
}

/** Limits that a turn is accepted within. */
export interface AdmissionLimits {
  /** Turns that may wait for a worker. */
  queueDepth: number;
  /** Turns of the principal that may not have ended; 0: no limit. */
  concurrentTurns: number;
}

export type Refusal = 'busy' | 'key-taken' | 'session-gone' | 'queue-full' | 'too-many-turns';

type Inserted = { type: 'stored'; turnId: string } | { type: Refusal };

/**
 * Acceptances that may be under way at once in the whole deployment, and do not see each other.
 * As far from the limit as this they cannot overrun it; nearer they go one by one.
 */
const MAX_BATCH_TURNS = 500;

/** Stores turns, each with its user message. */
export class TurnInserter {
  readonly #batches = new Batcher(
    async (batch: readonly { turn: NewTurn; insertion: Insertion }[]) => {
      const stored = await insertTurns(batchPool(this.db), batch, 'is skipped');
      return batch.map(({ insertion }) => stored.has(insertion.id));
    },
    isDatabaseDown,
  );

  constructor(private readonly db: Database) {}

  /**
   * Stores a turn, together with others that come at the same time. The partial unique index on
   * the session is the lock: of two racing turns, the database takes one.
   *
   * @param extraWrites what is stored in the turn's transaction, which is its own then.
   * @throws what `beside` and `supersedeTurns` throw; nothing is stored.
   */
  async insert(
    turn: NewTurn,
    limits: AdmissionLimits,
    extraWrites?: ExtraWrites,
  ): Promise<Inserted> {
    const id = newTimeId('turn', turn.now.getTime());
    const inserted: Inserted = { type: 'stored', turnId: id };
    const { sessionId, replaces, now } = turn;
    const maxQueued = limits.queueDepth - MAX_BATCH_TURNS;
    const hasClientTurns = (turn.clientTurns ?? []).length > 0;
    const isAlone = extraWrites === undefined && replaces === undefined && !hasClientTurns;
    const isFarFromLimits = isAlone && limits.concurrentTurns === 0 && maxQueued > 0;
    return catchRefusal(async () => {
      if (isFarFromLimits && (await this.#batches.add({ turn, insertion: { id, maxQueued } }))) {
        return inserted;
      }
      // Alone, the database says why it does not take the turn.
      const alone = isFarFromLimits
        ? await insertTurn(this.db, turn, { id, maxQueued })
        : 'queue-full';
      if (alone !== 'queue-full') return alone === 'stored' ? inserted : { type: alone };
      return this.db.transaction(async (tx): Promise<Inserted> => {
        if (await hasTooMany(tx, turn, limits)) return { type: 'too-many-turns' };
        await extraWrites?.store?.(tx, id);
        const clientTurnIds = await storeClientTurns(tx, turn);
        await lockFor(tx, 'accept-turn');
        const last = await insertTurn(tx, turn, { id, maxQueued: limits.queueDepth });
        if (last !== 'stored') throw new NotStored(last);
        await extraWrites?.verify?.(tx);
        if (replaces !== undefined)
          await supersedeTurns(tx, { id, sessionId, replaces, clientTurnIds, now });
        return inserted;
      });
    });
  }
}

/** Whether the turn's principal has as many as it may. Until the transaction ends it gets no more. */
export async function hasTooMany(
  tx: Queryable,
  { principalId }: NewTurn,
  { concurrentTurns }: AdmissionLimits,
): Promise<boolean> {
  if (concurrentTurns === 0) return false;
  await lockKey(tx, 'principal', principalId);
  const [found] = await tx
    .select({ unended: count() })
    .from(turns)
    .where(
      and(
        eq(turns.principalId, principalId),
        inArray(turns.status, [...unendedStatuses]),
        // A subagent's turn does not count: its parent waits for it.
        isNull(turns.parentTurnId),
      ),
    );
  return (found?.unended ?? 0) >= concurrentTurns;
}

/** Ends the transaction of a turn that is not stored, so that nothing beside it is. */
export class NotStored extends Error {
  constructor(readonly refusal: Refusal) {
    super(`The turn is not stored: ${refusal}`);
  }
}

/** The result of an insert, or the refusal that ended its transaction: one of its own, or of a rule of the database. */
export async function catchRefusal<T>(insert: () => Promise<T>): Promise<T | { type: Refusal }> {
  try {
    return await insert();
  } catch (error) {
    if (error instanceof NotStored) return { type: error.refusal };
    const refusal = refusals[violatedConstraint(error) ?? ''];
    if (refusal === undefined) throw error;
    return { type: refusal };
  }
}

const refusals: Record<string, 'busy' | 'key-taken' | 'session-gone' | undefined> = {
  turns_one_active_per_session: 'busy',
  turns_idempotency: 'key-taken',
  turns_session_id_fkey: 'session-gone',
};

/** The rows of a turn and of its user message. */
function turnRows(
  id: string,
  turn: Omit<NewTurn, 'readerProcess' | 'clientTurns'>,
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

const turnFields = [
  'id',
  'sessionId',
  'status',
  'request',
  'requestHash',
  'idempotencyKey',
  'options',
  'delegation',
  'principalId',
  'keyId',
  'parentTurnId',
  'parentCallId',
  'childTerms',
  'budget',
  'goesFirst',
  'traceparent',
  'tracestate',
  'clientHistory',
  'projectRoots',
  'preferredWorker',
  'createdAt',
] as const;
const turnColumns = pickColumns(turns, turnFields);
const inputColumns = {
  ...turnColumns,
  messageId: messages.id,
  parts: messages.parts,
  readerProcess: turnReaders.processId,
};
const inputTypes = { ...typesOf(inputColumns), max_queued: 'integer' };

/**
 * Stores turns with their messages in one statement, each unless as many turns wait as its `maxQueued`, or a
 * message with its idempotency key was steered into another turn.
 *
 * @param conflict what happens to a turn that violates a rule: an error, or `skipped` without one.
 * @returns ids of those that were stored.
 */
async function insertTurns(
  db: Database | Queryable,
  insertions: readonly { turn: NewTurn; insertion: Insertion }[],
  conflict: 'throws' | 'is skipped',
): Promise<Set<string>> {
  const rows = insertions.map(
    ({ turn: { readerProcess, clientTurns: _stored, ...stored }, insertion }) => {
      const { turn, message } = turnRows(insertion.id, stored, insertion.held);
      const row = { ...turn, goesFirst: turn.goesFirst ?? false, readerProcess };
      const { id: messageId, parts } = message;
      return [...encodeRow(inputColumns, { ...row, messageId, parts }), insertion.maxQueued];
    },
  );
  if ('runNamed' in db) {
    const values = inputParams(inputTypes, rows);
    const inserted = await db.runNamed(
      statements.of(conflict, values, () => buildInsert(conflict)),
    );
    return new Set(inserted.map(({ id }) => String(id)));
  }
  const inserted = await db.execute(buildInsert(conflict, rows));
  return new Set(inserted.rows.flatMap((row) => (isPlainObject(row) ? [String(row['id'])] : [])));
}

const statements = new NamedStatements('insert_turns');

function buildInsert(
  conflict: 'throws' | 'is skipped',
  rows?: readonly (readonly unknown[])[],
): SQL {
  return sql`
    with queued as (select count(*) as turns from ${turns} where ${turns.status} = 'queued'),
    input as materialized (
      select input.* from ${unnest(inputTypes, rows)}, queued where queued.turns < input.max_queued
        and (input."idempotencyKey" is null or not exists (select from joined_messages steered
          where steered.session_id = input."sessionId"
            and steered.idempotency_key = input."idempotencyKey"))),
    accepted as (
      insert into turns (${sql.raw(turnNames.join())}) select ${sql.raw(inputNames.join())} from input
      ${conflict === 'throws' ? sql`` : sql`on conflict do nothing`} returning id, created_at),
    message as (
      insert into messages (id, session_id, turn_id, role, parts, created_at)
      select "messageId", "sessionId", id, 'user', parts, created_at from input join accepted using (id)),
    reader as (
      -- The sender of a turn counts as its reader from the moment the turn is stored.
      insert into turn_readers (turn_id, process_id, until, has_left)
      select id, "readerProcess", now() + interval '${sql.raw(`${READER_LEASE_MS} milliseconds`)}', false
      from input join accepted using (id) where "readerProcess" is not null)
    select id from accepted`;
}

const turnNames = [...Object.values(turnColumns).map(({ name }) => name), 'preferred_until'];
/** The clock of another process may have been ahead: a turn comes after all that its session has. */
const afterLast = `greatest("createdAt", (select max(last.created_at) + interval '1 millisecond' from turns last
  where last.session_id = input."sessionId"))`;
/** By the database's clock, as claims are. */
const preferredUntil = `case when "preferredWorker" is not null
  then now() + interval '${PREFERENCE_MS} milliseconds' end`;
const inputNames = [
  ...turnFields.map((name) => (name === 'createdAt' ? afterLast : `"${name}"`)),
  preferredUntil,
];

/**
 * @returns `queue-full` when as many turns wait already, `key-taken` when a message with the turn's
 *   idempotency key was steered into another turn; nothing is stored then.
 */
export async function insertTurn(
  db: Queryable,
  turn: NewTurn,
  insertion: Insertion,
): Promise<'stored' | 'queue-full' | 'key-taken'> {
  if (insertion.maxQueued <= 0) return 'queue-full';
  const stored = await insertTurns(db, [{ turn, insertion }], 'throws');
  if (stored.has(insertion.id)) return 'stored';
  const { sessionId: ofSession, idempotencyKey: key } = turn;
  const isSteered = key !== undefined && (await findSteeredByKey(db, ofSession, key));
  return isSteered ? 'key-taken' : 'queue-full';
}

const insertRow = insertKind(turns, turnFields);

/** The turn of a subagent as writes of its parent, which stores them with the event of its start. */
export function turnWrites(
  turnId: string,
  turn: Omit<NewTurn, 'readerProcess' | 'clientTurns'>,
): StoreWrite[] {
  const rows = turnRows(turnId, turn);
  return [insertRow({ ...rows.turn, goesFirst: false }), insertMessage(rows.message)];
}
