import { describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { isPlainObject } from '../../src/platform/json.js';
import { useServer } from '../support/processes/start-server.js';

/** Executions for which PostgreSQL plans a prepared statement with its values, before it compares the costs. */
const TRIED = 5;
/** Executions from which a statement counts as one of each turn. */
const LEAST = 12;

describe('the statements of each turn', () => {
  // Prepared statements are those of a connection.
  const server = useServer({ environment: { TURNPIKE_DATABASE_CONNECTIONS: '1' } });

  it('are planned once a connection, not for the values of each execution', async () => {
    const sessionId = await server.client.createSession(server.projectRoot);
    const message = '[[tool=glob {"pattern":"*"}]] [[tokens=2 gap=0]]';
    // A statement is prepared when it comes a second time.
    for (let count = 0; count <= LEAST; count += 1) {
      await (await server.client.turn(sessionId, message)).all();
    }
    const { rows } = await server.db.execute(
      sql`select custom_plans::integer as tried, regexp_replace(statement, '\\s+', ' ', 'g') as statement
        from pg_prepared_statements where generic_plans + custom_plans >= ${LEAST}`,
    );
    const found = rows.filter(isPlainObject).map(({ tried, statement }) => ({
      tried: Number(tried),
      statement: String(statement).trim(),
    }));
    const about = (text: string) => found.filter(({ statement }) => statement.startsWith(text));
    // Look-up, acceptance, claim, and the commits of a turn's beginning, steps and end.
    expect(about('select "sessions"."id"')).toHaveLength(1);
    expect(about('with queued as')).toHaveLength(1);
    expect(about('with "chosen" as ( select locked.id')).toHaveLength(1);
    expect(about('with fence as').length).toBeGreaterThanOrEqual(3);
    expect(found.filter(({ tried }) => tried > TRIED)).toEqual([]);
  });
});
