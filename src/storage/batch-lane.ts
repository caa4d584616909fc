import type { Database } from './connection.js';

const lanes = new WeakMap<Database, Database>();

/** Gives a database connections of their own for the statements of batches. */
export function giveLane(db: Database, lane: Database): void {
  lanes.set(db, lane);
}

/**
 * The connections for the statements of batches; those of the database where it has no others. A statement must
 * have a good plan for any parameters: it is planned once a connection, without them. Few connections plan it few
 * times, and slow statements of other requests do not make turns wait.
 */
export function batchLane(db: Database): Database {
  return lanes.get(db) ?? db;
}
