import { inArray } from 'drizzle-orm';
import type { Queryable } from '../../storage/connection.js';
import { turns } from '../../storage/schema.js';

/** More steps than any turn has. */
export const EVERY_STEP = 2_147_483_647;

/** Marks these turns as sent with the outputs of their tools cut to their beginnings. */
export async function elideForGood(db: Queryable, turnIds: readonly string[]): Promise<void> {
  if (turnIds.length === 0) return;
  await db
    .update(turns)
    .set({ elidedThrough: EVERY_STEP })
    .where(inArray(turns.id, [...turnIds]));
}
