import { Injectable } from '@nestjs/common';
import { and, eq, inArray } from 'drizzle-orm';
import type { Principal } from '../../access/face.js';
import { Metrics } from '../../telemetry/metrics.js';
import { compact } from '../../platform/face.js';
import { type NewSessionRow, SessionService, SessionStore } from '../../session/face.js';
import type { Queryable } from '../../storage/connection.js';
import { scheduleRuns, type Overlap } from '../../storage/automation-schema.js';
import { turns } from '../../storage/schema.js';
import { unendedStatuses, type TurnStatus } from '../../storage/shapes/stored-turn.js';
import { TurnSubmitter } from '../../turn/face.js';
import { scheduleOverlaps } from './schedule-errors.js';
import type { ScheduleRow } from './schedule.dto.js';
import type { RunResult } from './schedule-run-store.js';

type Submitted = Extract<RunResult, { outcome: 'submitted' }>;

/** A turn of a schedule that is to be submitted. */
export interface ScheduledTurn {
  /** The principal whose key the turn is submitted with. */
  principal: Principal;
  idempotencyKey: string;
  /** Stores the run in the turn's transaction. @throws to have neither stored. */
  store(tx: Queryable, run: Submitted): Promise<void>;
}

/** Statuses of the schedule's turns beside which no other begins. */
const overlapping: Record<Overlap, readonly TurnStatus[]> = {
  skip: unendedStatuses,
  queueOne: ['held'],
  allow: [],
};

/** Submits turns of schedules, as requests of their principals do. */
@Injectable()
export class ScheduledTurns {
  constructor(
    private readonly submitter: TurnSubmitter,
    private readonly sessions: SessionService,
    private readonly store: SessionStore,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Stores the turn, its run and, where it has one of its own, its session, in one transaction.
   *
   * @throws TypedError of each check of a turn; TURN_IN_PROGRESS where it would overlap.
   */
  async submit(schedule: ScheduleRow, scheduled: ScheduledTurn): Promise<Submitted> {
    const { principal, idempotencyKey } = scheduled;
    const { message, opts, overlap, agent } = schedule;
    const session = await this.#newSession(schedule, principal);
    const sessionId = schedule.sessionId ?? session?.id ?? '';
    const { turnId, origin } = await this.submitter.submit({
      sessionId,
      principal,
      message,
      opts: { ...opts, onBusy: overlap === 'skip' ? 'reject' : 'enqueue' },
      attachments: [],
      idempotencyKey,
      asAgent: agent !== null,
      // Nobody reads along: no reader's absence ends the turn.
      wireOnDisconnect: 'continue',
      unattended: true,
      extraWrites: {
        ...compact({ session }),
        store: async (tx, id) => {
          if (session !== undefined) await this.store.store(session, tx);
          await scheduled.store(tx, { outcome: 'submitted', turnId: id, sessionId });
          await checkOverlap(tx, schedule);
        },
      },
    });
    if (origin !== undefined) this.metrics.turnsAccepted.inc({ wire: origin });
    return { outcome: 'submitted', turnId, sessionId };
  }

  async #newSession(
    { sessionId, agent, projectRoot }: ScheduleRow,
    principal: Principal,
  ): Promise<NewSessionRow | undefined> {
    if (sessionId !== null) return undefined;
    const wanted = compact({
      projectRoot: projectRoot ?? undefined,
      persona: agent ?? undefined,
    });
    return this.store.newRow(await this.sessions.check(wanted, principal, 'schedules'));
  }
}

/** Looks for turns of earlier runs, before the new one is stored. @throws TypedError TURN_IN_PROGRESS. */
async function checkOverlap(tx: Queryable, { id, overlap }: ScheduleRow): Promise<void> {
  const statuses = overlapping[overlap];
  if (statuses.length === 0) return;
  const [other] = await tx
    .select({ turnId: turns.id })
    .from(scheduleRuns)
    .innerJoin(turns, eq(turns.id, scheduleRuns.turnId))
    .where(and(eq(scheduleRuns.scheduleId, id), inArray(turns.status, [...statuses])))
    .limit(1);
  if (other !== undefined) throw scheduleOverlaps(other.turnId);
}
