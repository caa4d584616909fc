import { turnArchives } from '../../../src/storage/transcript-schema.js';
import type { TurnEvent } from '../../../src/events/turn-event.js';
import type { Queryable } from '../../../src/storage/connection.js';

/** Archives events of one attempt, outside of a worker's statement. */
export async function archiveEvents(
  db: Queryable,
  turnId: string,
  events: readonly TurnEvent[],
): Promise<void> {
  const [first] = events;
  if (first === undefined) throw new Error('There is no event to archive');
  const { attempt, seq: firstSeq } = first;
  await db.insert(turnArchives).values({ turnId, attempt, firstSeq, events: [...events] });
}
