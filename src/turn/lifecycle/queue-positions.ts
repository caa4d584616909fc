import { Inject, Injectable } from '@nestjs/common';
import { and, asc, desc, eq, isNull, sql } from 'drizzle-orm';
import { EVENT_LOG, FencedError, GapError, type EventLog } from '../../events/event-log.js';
import { CLOCK, isoTime, type Clock } from '../../platform/clock.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { turnArchives } from '../../storage/transcript-schema.js';
import { turns } from '../../storage/schema.js';

/** Few positions of a long queue are published: each change concerns every turn behind it. */
function isPublished(position: number): boolean {
  return position <= 10 || position % 10 === 0;
}

/** Whether a turn is served when no others wait. */
const isBackground = (turn: 'turn' | 'before') =>
  sql.raw(`(coalesce(${turn}.options -> 'options' ->> 'priority', '') = 'background')`);

/** Publishes queue positions to the readers of turns that no worker has. */
@Injectable()
export class QueuePositions {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(EVENT_LOG) private readonly log: Pick<EventLog, 'append'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  /** Publishes the new positions of a session's held turns; 1 is the next. A failure is logged only. */
  async publish(sessionId: string): Promise<void> {
    const held = await this.db
      .select({ id: turns.id })
      .from(turns)
      .where(
        and(
          eq(turns.sessionId, sessionId),
          eq(turns.status, 'held'),
          isNull(turns.cancelRequestedAt),
        ),
      )
      .orderBy(desc(turns.goesFirst), asc(turns.createdAt), asc(turns.id));
    for (const [index, { id }] of held.entries()) {
      if (!isPublished(index + 1)) continue;
      try {
        await this.publishOne(id, index + 1);
      } catch (error) {
        this.logger.warn({ turnId: id, error }, 'a queue position could not be published');
      }
    }
  }

  /** Publishes the position of a turn that waits for a slot, and nothing where a worker has it. */
  async publishQueued(turnId: string): Promise<void> {
    const { rows } = await this.db.execute(sql`
      select count(before.id)::integer as position
      from ${turns} turn join ${turns} before on before.status = 'queued'
        and (${isBackground('before')}, before.created_at, before.id)
          <= (${isBackground('turn')}, turn.created_at, turn.id)
      where turn.id = ${turnId} and turn.status = 'queued'`);
    const { position } = rows[0] as { position: number };
    if (position > 0) await this.publishOne(turnId, position);
  }

  /**
   * Publishes the position of a turn, as an event of attempt 0: no worker emits it. The event is
   * archived only while no worker has the turn, so that the worker that claims the turn knows of the
   * event, and appends it to a log that lacks it.
   */
  async publishOne(turnId: string, position: number): Promise<void> {
    const [archived] = await this.db
      .select({ seq: sql<number>`coalesce(max(${turnArchives.firstSeq}), 0)::integer` })
      .from(turnArchives)
      .where(and(eq(turnArchives.turnId, turnId), eq(turnArchives.attempt, 0)));
    const seq = (archived?.seq ?? 0) + 1;
    const at = isoTime(this.clock);
    const queued = { type: 'turn.queued', position, attempt: 0, seq, at } as const;
    const { rows } = await this.db.execute(sql`
      with unclaimed as (
        select id from ${turns} where id = ${turnId} and attempt = 0 for update
      )
      insert into ${turnArchives} (turn_id, attempt, first_seq, events)
      select id, 0, ${seq}::integer, ${JSON.stringify([queued])}::json from unclaimed
      on conflict do nothing returning turn_id`);
    if (rows.length === 0) return;
    try {
      await this.log.append(turnId, 0, [queued]);
    } catch (error) {
      // A worker was quicker and has appended the event; or another process, whose event comes first.
      if (error instanceof FencedError || error instanceof GapError) return;
      throw error;
    }
  }
}
