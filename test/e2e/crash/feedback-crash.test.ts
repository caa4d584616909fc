import { beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { feedback } from '../../../src/storage/schema.js';
import { webhookDeliveries } from '../../../src/storage/automation-schema.js';
import { KeyedClient } from '../../support/clients/keyed-client.js';
import { useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

describe('feedback whose process dies in the middle', () => {
  let path: string;
  const server = useServer({ environment: { TURNPIKE_WEBHOOK_PRIVATE_HOSTS: '127.0.0.1:*' } });
  const client = useShared(() => new KeyedClient(server.url));
  beforeAll(async () => {
    await client.send('POST', '/api/harness/webhooks', { url: 'http://127.0.0.1:9/hooks' });
    const sessionId = await server.client.createSession(server.projectRoot);
    const turn = await server.client.turn(sessionId, 'Hello');
    await turn.all();
    path = `/api/harness/turns/${turn.header('x-turn-id')}/feedback`;
  });

  const stored = async () => {
    const rows = await server.db.select().from(feedback);
    const deliveries = await server.db
      .select()
      .from(webhookDeliveries)
      .orderBy(webhookDeliveries.createdAt);
    return [
      rows.map(({ value }) => value),
      deliveries
        .filter(({ type }) => type === 'feedback.changed')
        .map(({ facts }) => facts['value']),
    ];
  };
  const set = (value: number) => client.send('PUT', path, { key: 'score', value });

  it('is stored together with what webhooks are sent of it, or neither is; and it may be sent again', async () => {
    // Between the two statements: the second is refused, as when the process dies before it.
    await server.db.execute(
      sql.raw(`create function stop_feedback() returns trigger language plpgsql as $$ begin
        raise exception 'stopped before it'; end $$`),
    );
    await server.db.execute(
      sql.raw(`create trigger stop_feedback before insert on webhook_deliveries
        for each row when (new.type = 'feedback.changed') execute function stop_feedback()`),
    );
    expect((await set(1)).status).toBe(500);
    expect(await stored()).toEqual([[], []]);
    await server.db.execute(sql.raw('drop function stop_feedback cascade'));
    expect((await set(1)).status).toBe(200);
    // The answer was lost on its way: the client sends it again.
    expect((await set(1)).status).toBe(200);
    expect(await stored()).toEqual([[1], [1]]);
    expect((await client.send('DELETE', `${path}/score`)).status).toBe(200);
    expect(await stored()).toEqual([[], [1, null]]);
  });
});
