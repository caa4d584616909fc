import { and, asc, desc, eq, exists, isNull, ne, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { violatedConstraint } from '../../storage/constraint.js';
import { turns } from '../../storage/schema.js';
import type { TurnServices } from '../state/turn-services.js';
import { wakeWorker } from '../queue/wake-worker.js';
import { sayPlaces } from './say-places.js';

/** Of held turns that are being ended while they are to go. */
const MOST_TRIES = 5;

type Services = Pick<TurnServices, 'db' | 'queue' | 'log' | 'clock' | 'logger'>;

/**
 * Lets the first turn that is held in a session go, if none is active. In one statement that the
 * session's lock guards: of two that do so at once, one does.
 */
export async function letNextGo(services: Services, sessionId: string): Promise<void> {
  const freed = await free(services, sessionId);
  if (freed === undefined) return;
  wakeWorker(services, freed, 'normal');
  await sayPlaces(services, sessionId);
}

async function free({ db }: Services, sessionId: string): Promise<string | undefined> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const [first] = await db
      .select({ id: turns.id })
      .from(turns)
      .where(isFree(sessionId))
      .orderBy(desc(turns.goesFirst), asc(turns.createdAt), asc(turns.id))
      .limit(1);
    if (first === undefined) return undefined;
    const freed = await tryFree(db, sessionId, first.id);
    if (freed !== 'gone') return freed === 'freed' ? first.id : undefined;
  }
  // The sweeper goes on.
  return undefined;
}

/** Held, and nobody is ending it. */
const isFree = (sessionId: string) =>
  and(eq(turns.sessionId, sessionId), eq(turns.status, 'held'), isNull(turns.cancelRequestedAt));

/** @returns `gone` when it was asked to end meanwhile; `busy` when another one is active. */
async function tryFree(
  db: Services['db'],
  sessionId: string,
  turnId: string,
): Promise<'freed' | 'gone' | 'busy'> {
  const other = alias(turns, 'other');
  const others = db
    .select({ one: sql`1` })
    .from(other)
    .where(and(eq(other.sessionId, sessionId), eq(other.status, 'held'), ne(other.id, turnId)));
  try {
    // Every condition is about the row itself, or it would not be looked at again after a wait.
    const freed = await db
      .update(turns)
      .set({ status: 'queued', hasNext: exists(others) })
      .where(and(eq(turns.id, turnId), isFree(sessionId)))
      .returning({ id: turns.id });
    return freed.length === 1 ? 'freed' : 'gone';
  } catch (error) {
    // Somebody else's turn has the lock: its end lets this one go.
    if (violatedConstraint(error) === 'turns_one_active_per_session') return 'busy';
    throw error;
  }
}
