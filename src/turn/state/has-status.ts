import { sql, type SQL } from 'drizzle-orm';
import type { TurnStatus } from '../../storage/shapes/stored-turn.js';
import { turns } from '../../storage/schema.js';

/**
 * Whether a turn has one of some statuses, as constants of the statement: the indexes of unended turns are for given
 * statuses, and with parameters the server would plan the statement each time to use one.
 */
export function hasStatus(...statuses: readonly TurnStatus[]): SQL {
  const names = statuses.map((status) => `'${status}'`).join(', ');
  return sql`${turns.status} in (${sql.raw(names)})`;
}
