import { Inject, Injectable } from '@nestjs/common';
import { and, asc, desc, eq, exists, ne, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { EVENT_LOG, FencedError, GapError, type EventLog } from '../../events/event-log.js';
import type { TurnEvent } from '../../events/turn-event.js';
import { Batcher } from '../../platform/async/batcher.js';
import { CLOCK, isoTime, type Clock } from '../../platform/clock.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { batchPool, unnest } from '../../storage/statements.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { isDatabaseDown, violatedConstraint } from '../../storage/database-errors.js';
import { turnArchives } from '../../storage/transcript-schema.js';
import { turns } from '../../storage/schema.js';
import { isHeldIn } from '../state/turn-row.js';
import { PREFERENCE_MS } from './choose-fairly.js';
import { SIGNAL_BUS, type SignalBus } from './signal-bus.js';
import { TURN_QUEUE, type TurnQueue } from './turn-queue.js';

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

/** An accepted turn's way to a worker. */
export interface Waking {
  /** To be called when a worker has the turn: nothing is published of its wait any more. */
  onBegun(): void;
  /**
   * Calls back once no worker could be told of the turn for three seconds, or the database takes no writes; at once where
   * that is known. The turn's `turn.queued` that says so is in the archive then, if it can be. @returns ends it.
   */
  onStuck(listener: () => void): () => void;
}

/** A free worker claims a turn in a few milliseconds: a turn still queued after these waits for a slot. */
const ANNOUNCE_AFTER_MS = 250;

/** Time after which a turn is stuck for which the queue took no token, in ms: a failover may be over by then. */
const STUCK_AFTER_MS = 3_000;

/** Held turns that may be ended while they are promoted, before the sweeper has to go on. */
const MAX_PROMOTIONS = 5;

/**
 * Sees to turns that no worker has: promotes held ones, wakes workers for those that are queued, and publishes their
 * queue positions to readers.
 */
@Injectable()
export class QueueNotifier {
  readonly #announcements = new Batcher(
    (waiting: readonly WaitingTurn[]) => this.#archive(waiting),
    isDatabaseDown,
  );

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(TURN_QUEUE) private readonly queue: TurnQueue,
    @Inject(SIGNAL_BUS) private readonly bus: SignalBus,
    @Inject(EVENT_LOG) private readonly log: EventLog,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Wakes a worker for an accepted turn, publishes the turn's queue position if it has to wait, and that no worker
   * could be told. The turn is stored: the sweeper wakes a worker where this fails.
   *
   * @param preferred the worker that others leave the turn to for a moment; absent: any is as good.
   * @param logger of the request, or of the turn that delegated.
   */
  wakeWorker(
    turnId: string,
    preferred?: string,
    logger: Pick<Logger, 'warn'> = this.logger,
  ): Waking {
    const stuck = new StuckTurn();
    const cancels: (() => void)[] = [];
    const wake = (woken: Promise<void>, onWoken = (): void => undefined): void => {
      woken.then(onWoken, (error: unknown) =>
        logger.warn(
          { turnId, error },
          'could not tell the workers of a queued turn; nothing is lost: the sweeper of a worker starts it',
        ),
      );
    };
    const reportStuck = (): void =>
      void this.#archiveStuck(turnId, logger).then((isStuck) => isStuck && stuck.report());
    const announce = (): void => {
      this.#announce(turnId).catch((error: unknown) => {
        logger.warn(
          { turnId, error },
          'could not publish a queue position; readers of the turn do not see it',
        );
        // The claim needs more than this row: a database that is full does not let the turn begin.
        if (isDatabaseDown(error)) stuck.report();
      });
    };
    const wakeAll = (): void => {
      const cancelReport = this.clock.after(STUCK_AFTER_MS, reportStuck);
      wake(this.queue.wake(), cancelReport);
      cancels.push(cancelReport, this.clock.after(ANNOUNCE_AFTER_MS, announce));
    };
    if (preferred === undefined) wakeAll();
    else {
      wake(this.bus.publishTurn(preferred));
      // That worker may be full or gone: the others may have the turn from now on.
      cancels.push(this.clock.after(PREFERENCE_MS + 1, wakeAll));
    }
    const onBegun = (): void => {
      for (const cancel of cancels) cancel();
    };
    return { onBegun, onStuck: (listener) => stuck.watch(listener) };
  }

  /**
   * Archives that no worker could be told of a turn. The log is where the queue is, which takes nothing: who accepted the
   * turn tells its own readers.
   *
   * @returns whether the turn waits, as far as can be found out.
   */
  async #archiveStuck(turnId: string, logger: Pick<Logger, 'warn'>): Promise<boolean> {
    try {
      const stuck = { turnId, position: null, reason: 'queue-unavailable' } as const;
      return (await this.#announcements.add(stuck)) !== undefined;
    } catch (error) {
      logger.warn(
        { turnId, error },
        'no worker could be told of a queued turn, and its readers could not be told that either; the turn starts by itself once the database and the queue answer',
      );
      return true;
    }
  }

  /**
   * Promotes the first held turn of a session, if no turn is active, in one statement that the
   * session's lock guards: of two promotions at once, one happens.
   */
  async promoteNext(sessionId: string): Promise<void> {
    const promoted = await this.#promote(sessionId);
    if (promoted === undefined) return;
    this.wakeWorker(promoted);
    await this.publishHeld(sessionId);
  }

  async #promote(sessionId: string): Promise<string | undefined> {
    for (let tries = 0; tries < MAX_PROMOTIONS; tries += 1) {
      const [first] = await this.db
        .select({ id: turns.id })
        .from(turns)
        .where(isHeldIn(sessionId))
        .orderBy(desc(turns.goesFirst), asc(turns.createdAt), asc(turns.id))
        .limit(1);
      if (first === undefined) return undefined;
      const result = await this.#tryPromote(sessionId, first.id);
      if (result !== 'gone') return result === 'promoted' ? first.id : undefined;
    }
    // The sweeper goes on.
    return undefined;
  }

  /** @returns `gone` when the turn was asked to end meanwhile; `busy` when another turn is active. */
  async #tryPromote(sessionId: string, turnId: string): Promise<'promoted' | 'gone' | 'busy'> {
    const other = alias(turns, 'other');
    const others = this.db
      .select({ one: sql`1` })
      .from(other)
      .where(and(eq(other.sessionId, sessionId), eq(other.status, 'held'), ne(other.id, turnId)));
    try {
      // Every condition is about the row itself: PostgreSQL checks only those again after a lock wait.
      const promoted = await this.db
        .update(turns)
        .set({ status: 'queued', hasNext: exists(others) })
        .where(and(eq(turns.id, turnId), isHeldIn(sessionId)))
        .returning({ id: turns.id });
      return promoted.length === 1 ? 'promoted' : 'gone';
    } catch (error) {
      // The active turn has the session's lock: its end promotes this turn.
      if (violatedConstraint(error) === 'turns_one_active_per_session') return 'busy';
      throw error;
    }
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
        await this.publishPosition(turnId, index + 1);
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
   * Publishes the position of a turn that waits for a slot, and nothing where a worker has it.
   *
   * @returns whether it was told.
   */
  publishQueued(turnId: string): Promise<boolean> {
    return this.#publish({ turnId, position: null });
  }

  /** Publishes the position of a held turn, and nothing where a worker has it. */
  async publishPosition(turnId: string, position: number): Promise<void> {
    await this.#publish({ turnId, position });
  }

  /** Publishes a queue position. A claim skips a turn whose row is locked for that: another token is for it. */
  async #announce(turnId: string): Promise<void> {
    if (await this.publishQueued(turnId)) await this.queue.wake();
  }

  async #publish(waiting: WaitingTurn): Promise<boolean> {
    const { turnId } = waiting;
    const queued = await this.#announcements.add(waiting);
    if (queued === undefined) return false;
    try {
      await this.log.append(turnId, 0, [queued]);
    } catch (error) {
      // A worker was quicker and has appended the event; or another process, whose event comes first.
      if (!(error instanceof FencedError || error instanceof GapError)) throw error;
    }
    return true;
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

/** Tells who waits for a turn, once, that it is stuck. */
class StuckTurn {
  #isStuck = false;
  readonly #listeners = new Set<() => void>();

  report(): void {
    if (this.#isStuck) return;
    this.#isStuck = true;
    for (const listener of this.#listeners) listener();
  }

  watch(listener: () => void): () => void {
    if (this.#isStuck) listener();
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
