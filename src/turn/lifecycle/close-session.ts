import { withDeadline } from '../../platform/with-deadline.js';
import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm';
import { turns } from '../../storage/schema.js';
import { unendedStatuses } from '../../storage/shapes/stored-turn.js';
import type { TurnServices } from '../state/turn-services.js';
import { endWaitingTurn } from './end-waiting-turn.js';
import { cancelTurn } from './cancel-turn.js';
import { followTurn } from '../stream/follow-turn.js';
import { turnInProgress } from '../state/turn-errors.js';

/** How long a delete waits for the session's turn to end. */
const END_WAIT_MS = 10_000;

/**
 * Deletes a session. Its turns are ended first, those that are held before the one they wait for, so
 * that the readers of each see its end before its log is gone.
 *
 * @param by the principal who deletes it.
 * @throws TypedError SESSION_NOT_FOUND 404; TURN_IN_PROGRESS 409 when a turn did not end in time.
 */
export async function closeSession(
  services: TurnServices,
  sessionId: string,
  by: string,
): Promise<void> {
  const { sessions, clock } = services;
  await sessions.get(sessionId);
  const giveUpAt = clock.now() + END_WAIT_MS;
  for (;;) {
    const unended = await markUnended(services, sessionId);
    if (unended.length === 0) break;
    if (clock.now() >= giveUpAt) throw turnInProgress(sessionId);
    for (const { id, status } of unended) {
      // Its mark keeps it from being let go.
      if (status === 'held') await endWaitingTurn(services, id, { reason, which: 'unstarted' });
      else await cancelTurn(services, id, reason);
    }
    for (const { id } of unended) await awaitEnd(services, id);
  }
  await sessions.delete(sessionId, by);
}

const reason = 'session-deleted';

/** Those of a session that have not ended, held ones first and marked: none of them begins. */
async function markUnended({ db }: TurnServices, sessionId: string) {
  const ofSession = eq(turns.sessionId, sessionId);
  await db
    .update(turns)
    .set({ cancelRequestedAt: sql`now()`, cancelReason: reason })
    .where(and(ofSession, eq(turns.status, 'held'), isNull(turns.cancelRequestedAt)));
  return db
    .select({ id: turns.id, status: turns.status })
    .from(turns)
    .where(and(ofSession, inArray(turns.status, [...unendedStatuses])))
    .orderBy(sql`${turns.status} <> 'held'`, asc(turns.createdAt));
}

async function awaitEnd(services: TurnServices, turnId: string): Promise<void> {
  await withDeadline(services.clock, END_WAIT_MS, async (signal) => {
    for await (const events of followTurn(services, turnId, signal)) {
      if (events.some((event) => event.type === 'turn.ended')) return;
    }
  });
}
