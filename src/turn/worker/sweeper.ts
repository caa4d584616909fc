import { Inject, Injectable } from '@nestjs/common';
import { sql } from 'drizzle-orm';
import { Poller } from '../../platform/async/poller.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { ApprovalStore } from '../approvals/approval-store.js';
import { TurnCanceller } from '../lifecycle/turn-canceller.js';
import { QueueNotifier } from '../queue/queue-notifier.js';
import { TurnClaims } from '../queue/turn-claims.js';
import { TURN_QUEUE, type TurnQueue } from '../queue/turn-queue.js';
import { CONFIG, type Config } from '../../config/config.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { approvals } from '../../storage/governance-schema.js';
import { readerProcesses, turnReaders, turns } from '../../storage/schema.js';
import { unendedStatuses } from '../../storage/shapes/stored-turn.js';
import { hasStatus, listStatuses } from '../state/turn-row.js';
import { interval, READER_LEASE_MS } from '../lifecycle/presence.js';
import { SIGNAL_BUS, type SignalBus } from '../queue/signal-bus.js';

/** A process that has not looked for this long, in ms, does not know what happened meanwhile. */
const MAX_SWEEP_GAP_MS = 5_000;

/** Longest time that a silent process may still have readers that no other process knows of. */
const PROCESS_LEASE_MS = 2 * READER_LEASE_MS;

/**
 * Turns that end with their readers and have had none, on any process, for the grace.
 *
 * A turn is abandoned when every process that takes readers has stored all it knew of them since the
 * turn's last lease was over. After a time in which the database did not answer one of them, or
 * this process, readers have a whole lease to come back. Only a turn whose last reader left after that
 * time is cancelled earlier.
 */
@Injectable()
export class AbandonedTurns {
  #lookingSince: number | undefined;
  #lookedAt = 0;

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(SIGNAL_BUS)
    private readonly bus: SignalBus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<Config, 'disconnectGraceMs'>,
  ) {}

  /** Marks the turns for their workers to end; asks processes that have yet to report readers. */
  async cancel(): Promise<void> {
    const { bus, clock } = this;
    const now = clock.now();
    if (now - this.#lookedAt > MAX_SWEEP_GAP_MS) this.startOver();
    this.#lookingSince ??= now;
    try {
      const found = await this.#mark(now - this.#lookingSince);
      this.#lookedAt = clock.now();
      for (const { id, isCancelled } of found) if (isCancelled) await bus.publishCancel(id);
      if (found.some(({ isCancelled }) => !isCancelled)) await bus.publishReaderCheck();
    } catch (error) {
      this.startOver();
      throw error;
    }
  }

  /** The database was away: readers of that time could not be stored. */
  startOver(): void {
    this.#lookingSince = undefined;
  }

  /** @param lookingMs for how long it has looked on without a gap. */
  async #mark(lookingMs: number): Promise<{ id: string; isCancelled: boolean }[]> {
    const { disconnectGraceMs: graceMs } = this.config;
    const lease = interval(READER_LEASE_MS);
    const isCurrent = sql`process.stored_at > now() - ${interval(PROCESS_LEASE_MS)}`;
    const { rows } = await this.db.execute(sql`
      with answered as (
        select greatest(now() - ${interval(lookingMs)},
          (select max(process.away_until) from ${readerProcesses} process)) as since
      ),
      abandoned as (
        select turn.id, not exists (
          select 1 from ${readerProcesses} process
          where ${isCurrent} and process.stored_at < reader.gone_at) as is_confirmed
        from ${turns} turn cross join answered cross join lateral (
          select coalesce(max(until), turn.created_at + ${lease}) as gone_at,
            coalesce(bool_and(has_left), false) as everybody_left,
            min(until) - ${interval(graceMs)} as left_at
          from ${turnReaders} where turn_id = turn.id
        ) reader
        where turn.status in (${listStatuses(unendedStatuses)})
          and turn.cancel_requested_at is null
          and turn.options -> 'options' ->> 'onDisconnect' = 'cancel'
          -- A person was asked, by it or by a subagent: who answers need not read.
          and not exists (
            select 1 from ${approvals} approval join ${turns} asked on asked.id = approval.turn_id
            where asked.id = turn.id or asked.parent_turn_id = turn.id)
          and reader.gone_at <= now()
          and (answered.since <= now() - ${lease}
            or (reader.everybody_left and reader.left_at >= answered.since))
      ),
      cancelled as (
        update ${turns} set cancel_requested_at = now(), cancel_reason = 'disconnect'
        from abandoned
        where turns.id = abandoned.id and abandoned.is_confirmed
          and ${hasStatus(...unendedStatuses)}
          and turns.cancel_requested_at is null
        returning turns.id
      )
      select id, true as "isCancelled" from cancelled
      union all select id, false from abandoned where not is_confirmed`);
    return rows as { id: string; isCancelled: boolean }[];
  }
}

/** Interval of the sweeps, in ms. */
const SWEEP_MS = 500;

/** A token is taken in milliseconds where a slot is free: after these, in ms, that of a queued turn may be lost. */
const LOST_TOKEN_MS = 1_000;

/** Interval at which subagents without a parent are looked for, in ms. */
const ORPHANS_MS = 5_000;

/**
 * Sweeps for turns that lost their worker, their token, their readers or what was to wake them, and
 * decides approvals whose time is over. Any number of processes may sweep beside each other.
 */
@Injectable()
export class Sweeper {
  readonly #poller: Poller;
  #lookForOrphansAt = 0;

  constructor(
    @Inject(TurnClaims)
    private readonly claims: Pick<
      TurnClaims,
      'claimable' | 'wake' | 'wakeable' | 'unwanted' | 'stuckSessions' | 'orphans'
    >,
    @Inject(TURN_QUEUE) private readonly queue: Pick<TurnQueue, 'wake' | 'depth'>,
    @Inject(ApprovalStore) private readonly approvals: Pick<ApprovalStore, 'expire'>,
    @Inject(AbandonedTurns)
    private readonly abandoned: Pick<AbandonedTurns, 'cancel' | 'startOver'>,
    @Inject(QueueNotifier) private readonly notifier: Pick<QueueNotifier, 'promoteNext'>,
    @Inject(TurnCanceller) private readonly canceller: Pick<TurnCanceller, 'cancel' | 'endIdle'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'info' | 'warn'>,
  ) {
    this.#poller = new Poller(() => this.#sweep(), {
      clock,
      waitMs: () => SWEEP_MS,
      onError: (error) =>
        logger.warn(
          { error },
          'the sweeper could not do everything; it tries what failed again in half a second',
        ),
    });
  }

  /** Wakes workers for the turns that an earlier process left, then sweeps at intervals. */
  async start(): Promise<void> {
    const turns = await this.#wakeWorkers(0);
    if (turns > 0)
      this.logger.info(
        { turns },
        'found turns that wait without a worker; waking workers for them',
      );
    // Readers that leave from now on are seen to leave.
    await this.abandoned.cancel();
    this.#poller.later();
  }

  stop(): void {
    void this.#poller.stop();
  }

  /**
   * Does every chore, also if others fail: a turn that cannot be stored costs no other turn.
   *
   * @throws the first error, once everything was tried.
   */
  async #sweep(): Promise<void> {
    const faultsOfTurns: unknown[] = [];
    const chores = [
      () => this.approvals.expire(),
      () => this.#resumeAnswered(),
      async () => faultsOfTurns.push(...(await this.#freeHeld())),
      () => this.#wakeWorkers(LOST_TOKEN_MS),
      () => this.abandoned.cancel(),
      async () => faultsOfTurns.push(...(await this.#endOrphans())),
    ];
    const faults = await tryEach(chores, (chore) => chore());
    // The database may have been away, and with it what others know of readers.
    if (faults.length > 0) this.abandoned.startOver();
    const [error] = [...faults, ...faultsOfTurns];
    if (error !== undefined) throw error;
  }

  /** Adds a token where turns can be claimed and there is none. @returns the number of turns. */
  async #wakeWorkers(queuedMs: number): Promise<number> {
    const turns = await this.claims.claimable(queuedMs);
    if (turns > 0 && (await this.queue.depth()) === 0) await this.queue.wake();
    return turns;
  }

  /** Resumes parked turns whose answers are there. */
  async #resumeAnswered(): Promise<void> {
    await this.claims.wake(await this.claims.wakeable());
  }

  /** Ends held turns that were asked to end, then promotes those that no active turn holds. @returns what failed. */
  async #freeHeld(): Promise<unknown[]> {
    const ofUnwanted = await tryEach(await this.claims.unwanted(), ({ id, reason }) =>
      this.canceller.endIdle(id, { reason, which: 'unstarted' }),
    );
    const ofStuck = await tryEach(await this.claims.stuckSessions(), (sessionId) =>
      this.notifier.promoteNext(sessionId),
    );
    return [...ofUnwanted, ...ofStuck];
  }

  /** Cancels subagents whose parent has ended, where it is time to look for them. @returns what failed. */
  async #endOrphans(): Promise<unknown[]> {
    const now = this.clock.now();
    if (now < this.#lookForOrphansAt) return [];
    this.#lookForOrphansAt = now + ORPHANS_MS;
    return tryEach(await this.claims.orphans(), (turnId) =>
      this.canceller.cancel(turnId, 'parent-ended'),
    );
  }
}

/** Acts on one after the other, also if those before failed. @returns what failed. */
async function tryEach<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<unknown>,
): Promise<unknown[]> {
  const faults: unknown[] = [];
  for (const item of items) {
    try {
      await act(item);
    } catch (error) {
      faults.push(error);
    }
  }
  return faults;
}
