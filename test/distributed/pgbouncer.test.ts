import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { definePgBouncer, type Service } from '../../scripts/services/start-services.mjs';
import { batchPool } from '../../src/storage/statements.js';
import { openPostgres } from '../../src/storage/postgres-database.js';
import { completeText, expectWhole, textOf } from '../support/clients/expect-whole.js';
import { startDeployment, type Deployment } from '../support/processes/start-deployment.js';
import { given } from '../support/processes/test-services.js';
import { newFolder } from '../support/suite.js';

const TURNS = 20;

let deployment: Deployment;
let bouncer: Service;
let url: string;
const folder = newFolder();
beforeAll(async () => {
  deployment = await startDeployment();
  const { databaseUrl } = deployment.services;
  bouncer = await definePgBouncer({ folder, program: given('TEST_PGBOUNCER'), databaseUrl });
  await bouncer.start();
  const own = new URL(databaseUrl);
  own.port = String(bouncer.port);
  url = own.href;
});
afterAll(async () => {
  await deployment.close();
  await bouncer.stop();
});

async function upload(url: string, name: string): Promise<string> {
  const form = new FormData();
  form.append('files', new File([name], name, { type: 'text/plain' }));
  const response = await fetch(`${url}/api/harness/attachments`, { method: 'POST', body: form });
  const { attachments } = (await response.json()) as { attachments: { id: string }[] };
  return attachments[0]?.id ?? '';
}

it('a pool that refuses the setting for plans is used without it', async () => {
  const sessions = new URL(url);
  sessions.pathname = '/sessions';
  const opened = await openPostgres({
    url: sessions.href,
    connections: 8,
    onError: () => undefined,
  });
  try {
    const { rows } = await batchPool(opened.db).execute(sql`select
      current_setting('plan_cache_mode') as mode`);
    expect(rows).toEqual([{ mode: 'auto' }]);
  } finally {
    await opened.close();
  }
});

it('a start that names statements behind it says which setting is missing', async () => {
  await expect(deployment.start('worker', { DATABASE_URL: url })).rejects.toThrow(
    'set TURNPIKE_PREPARED_STATEMENTS=false',
  );
});

// A pool in transaction mode has no prepared statements before PgBouncer 1.21: without the setting, these fail.
it('turns with tools, files and recovery run behind a pool of transactions', async () => {
  const environment = { DATABASE_URL: url, TURNPIKE_PREPARED_STATEMENTS: 'false' };
  const api = await deployment.start('api', environment);
  const killed = await deployment.start('worker', { ...environment, TURNPIKE_LEASE_MS: '10000' });
  const { client } = api;
  const streams = await Promise.all(
    Array.from({ length: TURNS }, async (_, index) => {
      const sessionId = await client.createSession(deployment.projectRoot);
      return client.turn(sessionId, '[[tool=glob {"pattern":"*"}]] [[tokens=40 gap=10]]', {
        opts: { onDisconnect: 'continue' },
        attachments: [await upload(client.url, `note-${index}.txt`)],
      });
    }),
  );
  await Promise.all(streams.map((stream) => stream.until('chat:delta')));
  await killed.kill('SIGKILL');
  await deployment.start('worker', environment);
  for (const stream of streams) {
    const frames = await stream.all();
    expectWhole(frames);
    expect(frames.at(-1)?.data).toEqual({ exitCode: 0 });
    expect(textOf(frames)).toBe(completeText(frames));
  }
});
