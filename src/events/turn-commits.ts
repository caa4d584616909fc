import { and, eq, inArray, sql, type SQL } from 'drizzle-orm';
import { Batcher } from '../platform/async/batcher.js';
import { batchPool, inputParams, unnest, NamedStatements } from '../storage/statements.js';
import type { Database, NamedStatement } from '../storage/connection.js';
import { isDatabaseDown, violatedConstraint } from '../storage/database-errors.js';
import { turns } from '../storage/schema.js';
import { turnArchives } from '../storage/transcript-schema.js';
import { insertKind, type StoreWrite, type WriteKind } from '../storage/write-kind.js';
import { FencedError } from './event-log.js';
import type { TurnEvent } from './turn-event.js';
import { webhookWrites } from './webhook-outbox.js';

export interface TurnAttempt {
  turnId: string;
  attempt: number;
}

/** Rows and events that an attempt stores at once: all or none. */
export interface TurnCommit extends TurnAttempt {
  writes: readonly StoreWrite[];
  /** The events of these writes, after those that were emitted before and are not archived yet. */
  events: readonly TurnEvent[];
  /** Whether an earlier try got no answer: it may have stored everything. */
  isRepeat: boolean;
  /** Messages delivered to the model. Given: nothing is stored where more were steered in. */
  delivered?: number;
}

export type Stored =
  | { type: 'stored'; hasNext: boolean }
  /** Nothing was stored: `steered` messages came into the turn, more than were delivered. */
  | { type: 'undelivered'; steered: number };

const archiveEvents = insertKind(turnArchives, ['turnId', 'attempt', 'firstSeq', 'events']);

/**
 * Stores the writes of a process's turns with their events, and what webhooks are sent of those. Commits that wait while a statement is in
 * flight go into the next one together. The fence is each turn's own row, locked, so that no other attempt
 * can begin before the statement is done; a column of it counts the messages that were steered in.
 */
export class TurnCommits {
  readonly #batches = new Batcher(
    (commits: readonly TurnCommit[]) => this.#storeTogether(commits),
    isDatabaseDown,
  );

  constructor(private readonly db: Database) {}

  /**
   * Stores all of a commit, or nothing when the attempt no longer owns the turn.
   *
   * @throws FencedError; what the database threw.
   */
  async store(commit: TurnCommit): Promise<Stored> {
    const { turnId, attempt, events, isRepeat, delivered } = commit;
    try {
      const hasNext =
        (await this.#batches.add(commit)) ?? (await this.#run([commit], '')).get(turnId);
      if (hasNext !== undefined) return { type: 'stored', hasNext };
    } catch (error) {
      if (!isRepeat || violatedConstraint(error) === undefined) throw error;
    }
    // Where the answer with `has_next` was lost, the sweeper promotes the next turn.
    if (isRepeat && (await isArchived(this.db, turnId, events))) {
      return { type: 'stored', hasNext: false };
    }
    const steered = delivered === undefined ? undefined : await countSteered(this.db, commit);
    if (steered !== undefined) return { type: 'undelivered', steered };
    throw new FencedError(turnId, attempt);
  }

  /**
   * @returns `has_next` of each turn; undefined where nothing of it was stored: it is fenced, or its row is
   *   locked by somebody who must not stop the others.
   */
  async #storeTogether(commits: readonly TurnCommit[]): Promise<(boolean | undefined)[]> {
    // A turn is in a statement once.
    const ofTurns = new Map(commits.map((commit) => [commit.turnId, commit]));
    const stored = await this.#run([...ofTurns.values()], ' skip locked');
    return commits.map((commit) =>
      ofTurns.get(commit.turnId) === commit ? stored.get(commit.turnId) : undefined,
    );
  }

  async #run(
    commits: readonly TurnCommit[],
    locking: '' | ' skip locked',
  ): Promise<Map<string, boolean>> {
    // A statement that waits for a lock would keep batches from their connections.
    const db = locking === '' ? this.db : batchPool(this.db);
    const rows = await db.runNamed(statementOf(commits, locking));
    return new Map(rows.map((row) => [String(row['id']), row['has_next'] === true]));
  }
}

const commitTypes = { id: 'text', attempt: 'integer', delivered: 'integer' };

const statements = new NamedStatements('store_commits');

/** The statement is the same text for the same kinds of rows, however many: it is built and prepared once. */
function statementOf(commits: readonly TurnCommit[], locking: string): NamedStatement {
  const input = commits.map(({ turnId, attempt, delivered = null }) => [
    turnId,
    attempt,
    delivered,
  ]);
  const parts = writesByKind(commits);
  const kinds = parts.map(([kind]) => kind);
  const params = [
    ...inputParams(commitTypes, input),
    ...parts.flatMap(([kind, rows]) => inputParams(kind.types, rows)),
  ];
  const key = `${kinds.map(({ id }) => id).join()}${locking}`;
  return statements.of(key, params, () => buildStatement(kinds, locking));
}

function buildStatement(kinds: readonly WriteKind[], locking: string): SQL {
  const parts = kinds.map((kind) => {
    const name = `input_${kind.id}`;
    return sql`, ${sql.raw(name)} as (
        select input.*, fence.principal_id as fence_principal, fence.session_id as fence_session,
          fence.parent_turn_id as fence_parent
        from ${unnest(kind.types)} join fence on fence.id = input.fence_id),
      ${sql.raw(`write_${kind.id} as (${kind.text(name)})`)}`;
  });
  return sql`with fence as (
      select turns.id, turns.has_next, turns.principal_id, turns.session_id, turns.parent_turn_id
      from ${unnest(commitTypes)}
      join turns on turns.id = input.id and turns.attempt = input.attempt
      where turns.status in ('running', 'held')
        and (input.delivered is null or turns.joined_messages <= input.delivered)
      order by turns.id for no key update of turns${sql.raw(locking)})
    ${sql.join(parts)} select id, has_next from fence`;
}

/** Rows by kind, each after the id of its turn, in the order of the kinds. */
function writesByKind(commits: readonly TurnCommit[]): [WriteKind, unknown[][]][] {
  const byKind = new Map<WriteKind, unknown[][]>();
  for (const { turnId, writes, events } of commits) {
    const ofEvents = [...archiveWrites(turnId, events), ...webhookWrites(turnId, events)];
    for (const { kind, values } of [...writes, ...ofEvents]) {
      const rows = byKind.get(kind) ?? [];
      byKind.set(kind, rows);
      rows.push([turnId, ...values]);
    }
  }
  return [...byKind].sort(([a], [b]) => a.id - b.id);
}

function archiveWrites(turnId: string, events: readonly TurnEvent[]): StoreWrite[] {
  const [first] = events;
  if (first === undefined) return [];
  const { attempt, seq: firstSeq } = first;
  return [archiveEvents({ turnId, attempt, firstSeq, events: [...events] })];
}

/** Messages steered into the turn; undefined where the attempt does not own it. */
async function countSteered(
  db: Database,
  { turnId, attempt }: TurnAttempt,
): Promise<number | undefined> {
  const [found] = await db
    .select({ steered: turns.steeredMessages })
    .from(turns)
    .where(
      and(
        eq(turns.id, turnId),
        eq(turns.attempt, attempt),
        inArray(turns.status, ['running', 'held']),
      ),
    );
  return found?.steered;
}

async function isArchived(
  db: Database,
  turnId: string,
  [first]: readonly TurnEvent[],
): Promise<boolean> {
  if (first === undefined) return false;
  const { turnId: ofTurn, attempt, firstSeq } = turnArchives;
  const found = await db
    .select({ firstSeq })
    .from(turnArchives)
    .where(and(eq(ofTurn, turnId), eq(attempt, first.attempt), eq(firstSeq, first.seq)));
  return found.length > 0;
}
