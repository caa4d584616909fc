import { describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { lockFor } from '../../src/storage/statements.js';
import { turns } from '../../src/storage/schema.js';
import { expectSoon } from '../support/expect-soon.js';
import { useServer } from '../support/processes/start-server.js';

describe('a request that goes on from a response', () => {
  const server = useServer();

  const respond = async (body: object) => {
    const response = await fetch(`${server.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'WORKING_ITEMS', ...body }),
    });
    return (await response.json()) as { id: string; status: string };
  };

  it('does not see a turn that begins and ends while it is stored', async () => {
    const { db, client } = server;
    const first = await respond({ input: '[[tokens=2]]' });
    const [before] = await db.select().from(turns);
    const sessionId = before?.sessionId ?? '';
    const going = await db.transaction(async (tx) => {
      await lockFor(tx, 'accept-turn');
      const second = respond({ input: 'Right [[tokens=2]]', previous_response_id: first.id });
      await expectSoon(async () => {
        const { rows } = await db.execute(
          sql`select 1 from pg_locks where locktype = 'advisory' and not granted`,
        );
        expect(rows).toHaveLength(1);
      });
      await (await client.turn(sessionId, 'Left [[tokens=2]]')).all();
      return { second };
    });
    expect(await going.second).toMatchObject({ status: 'completed' });
    const asked = server.modelRequests.map(({ body }) => JSON.stringify(body));
    const ofSecond = asked.filter((text) => text.includes('Right'));
    expect(ofSecond).toHaveLength(1);
    expect(ofSecond.join()).not.toContain('Left');
  });
});
