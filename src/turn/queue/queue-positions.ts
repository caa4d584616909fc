import { asc, desc, sql } from 'drizzle-orm';
import { FencedError, GapError, type EventLog } from '../../events/event-log.js';
import type { TurnEvent } from '../../events/turn-event.js';
import { Batcher } from '../../platform/async/batcher.js';
import { isoTime, type Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import type { Database } from '../../storage/connection.js';
import { isDatabaseDown } from '../../storage/database-errors.js';
import { turns } from '../../storage/schema.js';
import { batchPool, unnest } from '../../storage/statements.js';
import { turnArchives } from '../../storage/transcript-schema.js';
import { isHeldIn } from '../state/turn-row.js';

/** Few positions of a long queue are published: each change concerns every turn behind it. */
function isPublished(position: number): boolean {
  return position <= 10 || position % 10 === 0;
}

/** Whether a turn is served when no others wait. */
const isBackground = sql.raw(`(coalesce(options -> 'options' ->> 'priority', '') = 'background')`);

type QueuedEvent = Extract<TurnEvent, { type: 'turn.queued' }>;

interface WaitingTurn {
  turnId: string;
  /** Null: the turn's position among those that wait for a slot. */
  position: number | null;
  reason?: QueuedEvent['reason'];
}

/** The positions of turns that no worker has, as their readers see them. */
export class QueuePositions {
  readonly #archived = new Batcher(
    (waiting: readonly WaitingTurn[]) => this.#archive(waiting),
    isDatabaseDown,
  );

  constructor(
    private readonly db: Database,
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /**
   * Archives a position, and appends it to the log of the turn; neither where a worker has the turn.
   *
   * @returns whether it was told.
   */
  async publish(waiting: WaitingTurn): Promise<boolean> {
    const { turnId } = waiting;
    const queued = await this.#archived.add(waiting);
    if (queued === undefined) return false;
    try {
      await this.log.append(turnId, 0, [queued]);
    } catch (error) {
      // A worker was quicker and has appended the event; or another process, whose event comes first.
      if (!(error instanceof FencedError || error instanceof GapError)) throw error;
    }
    return true;
  }

  /** Archives a position alone. @returns whether it was: no worker has the turn. */
  async archive(waiting: WaitingTurn): Promise<boolean> {
    return (await this.#archived.add(waiting)) !== undefined;
  }

  /** Publishes the new positions of a session's held turns; 1 is the next. A failure is logged only. */
  async publishHeld(sessionId: string): Promise<void> {
    const held = await this.db
      .select({ id: turns.id })
      .from(turns)
      .where(isHeldIn(sessionId))
      .orderBy(desc(turns.goesFirst), asc(turns.createdAt), asc(turns.id));
    const published = held.map(async ({ id: turnId }, index) => {
      if (!isPublished(index + 1)) return;
      try {
        await this.publish({ turnId, position: index + 1 });
      } catch (error) {
        this.logger.warn(
          { turnId, error },
          'could not publish a queue position; the next change of the queue publishes it',
        );
      }
    });
    await Promise.all(published);
  }

  /**
   * Archives positions as events of attempt 0: no worker emits them. An event is archived only while no worker
   * has the turn, so that the worker that claims the turn knows of the event, and appends it to a log that lacks it.
   *
   * @returns the event of each turn; undefined where a worker has the turn or claims it, or where a later position
   *   of the same batch is told.
   */
  async #archive(waiting: readonly WaitingTurn[]): Promise<(QueuedEvent | undefined)[]> {
    const latest = new Map(waiting.map((turn) => [turn.turnId, turn]));
    const input = unnest(
      { id: 'text', position: 'integer', reason: 'text' },
      [...latest.values()].map(({ turnId, position, reason = null }) => [turnId, position, reason]),
    );
    const { rows } = await batchPool(this.db).execute(sql`
      with input as materialized (select * from ${input}),
      queue_position as (
        select id, (row_number() over (order by ${isBackground}, created_at, id))::integer as position
        from ${turns} where status = 'queued' and exists (select from input where position is null)),
      unclaimed as (
        select turns.id, coalesce(input.position, queue_position.position) as position, input.reason
        from input join ${turns} on turns.id = input.id and turns.attempt = 0
        left join queue_position on queue_position.id = input.id
        where coalesce(input.position, queue_position.position) is not null
        order by turns.id for no key update of turns skip locked),
      event as (
        select id, position, reason, 1 + coalesce((select max(first_seq) from ${turnArchives}
          where turn_id = unclaimed.id and attempt = 0), 0) as seq
        from unclaimed)
      insert into ${turnArchives} (turn_id, attempt, first_seq, events)
      select id, 0, seq, json_build_array(json_strip_nulls(json_build_object('type', 'turn.queued',
        'position', position, 'reason', reason, 'attempt', 0, 'seq', seq,
        'at', ${isoTime(this.clock.now())}::text)))
      from event on conflict do nothing returning turn_id as "turnId", events`);
    const stored = new Map(
      (rows as { turnId: string; events: [QueuedEvent] }[]).map((row) => [row.turnId, row.events]),
    );
    return waiting.map((turn) =>
      latest.get(turn.turnId) === turn ? stored.get(turn.turnId)?.[0] : undefined,
    );
  }
}
