import { sql, type SQL } from 'drizzle-orm';
import type { TurnStatus } from '../../storage/shapes/stored-turn.js';
import { turns } from '../../storage/schema.js';

/**
 * Whether a turn has one of some statuses, as constants of the statement: the indexes of unended turns are for given
 * statuses, and with parameters the server would plan the statement each time to use one.
 */
export function hasStatus(...statuses: readonly TurnStatus[]): SQL {
  return sql`${turns.status} in (${listStatuses(statuses)})`;
}

/** Statuses as constants of a statement. */
export function listStatuses(statuses: readonly TurnStatus[]): SQL {
  return sql.raw(statuses.map((status) => `'${status}'`).join(', '));
}
