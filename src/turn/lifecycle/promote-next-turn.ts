import { and, asc, desc, eq, exists, isNull, ne, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { violatedConstraint } from '../../storage/database-errors.js';
import { turns } from '../../storage/schema.js';
import type { TurnServices } from '../state/turn-services.js';
import { wakeWorker } from '../queue/wake-worker.js';
import { publishQueuePositions } from './publish-queue-positions.js';

/** Held turns that may be ended while they are promoted, before the sweeper has to go on. */
const MOST_TRIES = 5;

type Services = Pick<TurnServices, 'db' | 'queue' | 'log' | 'clock' | 'logger'>;

/**
 * Promotes the first held turn of a session, if no turn is active, in one statement that the session's
 * lock guards: of two promotions at once, one happens.
 */
export async function promoteNextTurn(services: Services, sessionId: string): Promise<void> {
  const promoted = await promote(services, sessionId);
  if (promoted === undefined) return;
  wakeWorker(services, promoted, 'normal');
  await publishQueuePositions(services, sessionId);
}

async function promote({ db }: Services, sessionId: string): Promise<string | undefined> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const [first] = await db
      .select({ id: turns.id })
      .from(turns)
      .where(isPromotable(sessionId))
      .orderBy(desc(turns.goesFirst), asc(turns.createdAt), asc(turns.id))
      .limit(1);
    if (first === undefined) return undefined;
    const result = await tryPromote(db, sessionId, first.id);
    if (result !== 'gone') return result === 'promoted' ? first.id : undefined;
  }
  // The sweeper goes on.
  return undefined;
}

/** Held, and nobody is ending it. */
const isPromotable = (sessionId: string) =>
  and(eq(turns.sessionId, sessionId), eq(turns.status, 'held'), isNull(turns.cancelRequestedAt));

/** @returns `gone` when it was asked to end meanwhile; `busy` when another one is active. */
async function tryPromote(
  db: Services['db'],
  sessionId: string,
  turnId: string,
): Promise<'promoted' | 'gone' | 'busy'> {
  const other = alias(turns, 'other');
  const others = db
    .select({ one: sql`1` })
    .from(other)
    .where(and(eq(other.sessionId, sessionId), eq(other.status, 'held'), ne(other.id, turnId)));
  try {
    // Every condition is about the row itself, or it would not be looked at again after a wait.
    const promoted = await db
      .update(turns)
      .set({ status: 'queued', hasNext: exists(others) })
      .where(and(eq(turns.id, turnId), isPromotable(sessionId)))
      .returning({ id: turns.id });
    return promoted.length === 1 ? 'promoted' : 'gone';
  } catch (error) {
    // Another turn has the session's lock: its end promotes this one.
    if (violatedConstraint(error) === 'turns_one_active_per_session') return 'busy';
    throw error;
  }
}
