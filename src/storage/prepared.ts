import type { Database } from './connection.js';

/**
 * Declares a frequent query, or a batcher of one. Each database has its own, built when it is first used;
 * a query has `sql.placeholder`s for the parameters, and is prepared once on each connection.
 *
 * @example const findTurn = prepared((db) => db.select()….prepare('find_turn'));
 * await findTurn(db).execute({ turnId });
 */
export function prepared<Query>(build: (db: Database) => Query): (db: Database) => Query {
  const built = new WeakMap<Database, Query>();
  return (db) => {
    const known = built.get(db);
    if (known !== undefined) return known;
    const query = build(db);
    built.set(db, query);
    return query;
  };
}
