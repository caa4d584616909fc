import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { findPrograms } from '../../scripts/services/find-programs.mjs';
import { documentedBlocks } from '../support/clients/documented-blocks.js';
import { testDatabaseUrl } from '../support/processes/test-services.js';
import { startServer, type TestServer } from '../support/processes/start-server.js';
import { playScene, sceneEnvironment } from '../support/transfer/play-scene.js';
import { newFolder } from '../support/suite.js';

const run = promisify(execFile);
const [dump, restore] = documentedBlocks().get('docs/operate/backup.md') ?? [];

let server: TestServer;
let environment: Record<string, string>;
const folder = newFolder();
beforeAll(async () => {
  environment = await sceneEnvironment();
  server = await startServer({ environment });
});
afterAll(() => server.close());

const shell = (code: string | undefined, variables: Record<string, string>) => {
  // Debian keeps the programs of each version in a folder of their own.
  const programs = path.dirname(findPrograms(() => undefined).initdb);
  const env = { ...process.env, PATH: `${programs}:${process.env['PATH']}`, ...variables };
  return run('bash', ['-euo', 'pipefail', '-c', code ?? 'exit 9'], { cwd: folder, env });
};

it('a dump that was restored is a server on which readers resume, and turns go on', async () => {
  const { client, store } = server;
  const { sessionId, turnIds } = await playScene(server);
  const [turnId = ''] = turnIds;
  const frames = await (await client.follow(turnId)).all();
  const messages = await client.get(`/api/harness/sessions/${sessionId}/messages`);
  const running = await client.turn(
    await client.createSession(server.projectRoot),
    '[[tool=glob {"pattern":"*"}]] [[tokens=400 gap=5]]',
    { opts: { onDisconnect: 'continue' } },
  );
  await running.until('tool:result');

  await shell(dump?.code, { DATABASE_URL: store.environment['DATABASE_URL'] ?? '' });
  const name = `restored_${randomUUID().replaceAll('-', '')}`;
  const restored = new URL(testDatabaseUrl());
  restored.pathname = `/${name}`;
  const code = restore?.code.replace(' restored\n', ` ${name}\n`);
  await shell(code, { ADMIN_URL: testDatabaseUrl(), RESTORED_URL: restored.href });
  const second = await startServer({
    environment: { ...environment, TURNPIKE_LEASE_MS: '1000' },
    store: {
      environment: {
        ...store.environment,
        DATABASE_URL: restored.href,
        // An empty Redis.
        TURNPIKE_REDIS_PREFIX: `test-${randomUUID()}`,
      },
      close: async () => undefined,
    },
  });
  try {
    expect(await second.client.get(`/api/harness/sessions/${sessionId}/messages`)).toMatchObject({
      status: 200,
      body: messages.body,
    });
    const middle = frames[3];
    const rest = await (await second.client.follow(turnId, middle?.id)).all();
    expect(rest).toEqual(frames.slice(4));
    const took = await second.client.follow(running.header('x-turn-id'));
    expect((await took.all()).at(-1)?.data).toEqual({ exitCode: 0 });
    expect(took.names()).toContain('turn:recovering');
  } finally {
    await second.close();
    await shell(`dropdb --force --maintenance-db="$ADMIN_URL" ${name}`, {
      ADMIN_URL: testDatabaseUrl(),
    });
  }
});
