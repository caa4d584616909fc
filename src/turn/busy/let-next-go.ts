import { sql } from 'drizzle-orm';
import { violatedConstraint } from '../../storage/constraint.js';
import { turns } from '../../storage/schema.js';
import type { TurnServices } from '../turn-services.js';
import { wakeWorker } from '../wake-worker.js';
import { sayPlaces } from './say-places.js';

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
  try {
    const [freed] = await db
      .update(turns)
      .set({
        status: 'queued',
        hasNext: sql`exists (select 1 from turns other where other.session_id = ${sessionId}
          and other.status = 'held' and other.id <> ${turns.id})`,
      })
      .where(
        sql`${turns.id} = (
          select first.id from turns first
          where first.session_id = ${sessionId} and first.status = 'held'
            and first.cancel_requested_at is null
          order by first.goes_first desc, first.created_at, first.id
          limit 1)
          and ${turns.status} = 'held'
          and not exists (select 1 from turns active where active.session_id = ${sessionId}
            and active.status in ('queued', 'running', 'waiting'))`,
      )
      .returning({ id: turns.id });
    return freed?.id;
  } catch (error) {
    // Somebody else's turn has the lock: its end lets this one go.
    if (violatedConstraint(error) === 'turns_one_active_per_session') return undefined;
    throw error;
  }
}
