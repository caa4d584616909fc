import { beforeAll, describe, expect, it } from '@jest/globals';
import { features } from '../../../src/app/features.js';
import { completeText, expectWhole, textOf } from '../../support/clients/expect-whole.js';
import { newStore } from '../../support/database/test-store.js';
import { startServer, type TestServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

type Paths = Record<string, Record<string, { operationId?: string }>>;

/** The routes of a server, as its document has them: `get /api/harness/turns`. */
async function routesOf({ url }: Pick<TestServer, 'url'>): Promise<string[]> {
  const { paths } = (await (await fetch(`${url}/docs-json`)).json()) as { paths: Paths };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
}

describe('a server without one of its features', () => {
  const store = useShared(newStore);
  let all: string[];

  beforeAll(async () => {
    const whole = await startServer({ store });
    all = await routesOf(whole);
    await whole.close();
  });

  const without = [
    ...features.map(({ name }) => [name, [name]] as const),
    ['all', features.map(({ name }) => name)] as const,
  ];
  it.each(without)('without %s: starts, and runs turns', async (_name, names) => {
    const isGone = ({ name }: { name: string }) => names.includes(name);
    const left = features.filter((one) => !isGone(one));
    const server = await startServer({ store, features: left });
    try {
      const routes = await routesOf(server);
      expect(all).toEqual(expect.arrayContaining(routes));
      const gone = all.filter((route) => !routes.includes(route));
      const hadRoutes = features.some((one) => isGone(one) && one.api !== undefined);
      expect(gone.length > 0).toBe(hadRoutes);
      const { client, projectRoot } = server;
      const sessionId = await client.createSession(projectRoot);
      const stream = await client.turn(sessionId, '[[tool=glob {"pattern":"*"}]] [[tokens=5]]');
      const frames = await stream.all();
      expectWhole(frames);
      expect(frames.at(-1)?.data).toEqual({ exitCode: 0 });
      expect(textOf(frames)).toBe(completeText(frames));
      expect((await client.get('/health')).body).toMatchObject({ status: 'healthy' });
    } finally {
      await server.close();
    }
  });
});
