import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cloudNames, type CloudName } from '../../../src/config/variable-forms.js';
import { FollowedTurn } from '../../support/clients/followed-turn.js';
import {
  lendCredentials,
  startCloudPlace,
  type CloudPlace,
} from '../../support/clouds/start-cloud-place.js';
import { newStore, type TestStore } from '../../support/database/test-store.js';
import { startProcess, type ServerProcess } from '../../support/processes/start-process.js';
import { startServer, type TestServer } from '../../support/processes/start-server.js';
import { newFolder } from '../../support/suite.js';

/** What the servers of tests have for the rehearsal. */
const noGateway = { TURNPIKE_PROVIDER: 'anthropic', TURNPIKE_EGRESS_ALLOW: '' };

/** A server whose Claude is in a cloud, as a process of its own. */
function useServer(cloud: CloudName) {
  let place: CloudPlace;
  let store: TestStore;
  let server: ServerProcess;
  const start = async (): Promise<ServerProcess> => {
    const lease = { TURNPIKE_LEASE_MS: '2000' };
    server = await startProcess({ ...place.environment, ...store.environment, ...lease });
    return server;
  };
  beforeAll(async () => {
    place = await startCloudPlace(cloud);
    store = await newStore();
    await start();
  });
  afterAll(async () => {
    await server.kill('SIGTERM');
    await store.close();
    await place.close();
  });
  return {
    start,
    server: () => server,
    faults: () => place.requests.flatMap(({ fault }) => fault ?? []),
  };
}

describe.each(cloudNames)('turns with Claude in %s', (cloud) => {
  let place: CloudPlace;
  let server: TestServer;
  beforeAll(async () => {
    place = await startCloudPlace(cloud);
    lendCredentials(place);
    server = await startServer({ environment: { ...place.environment, ...noGateway } });
  });
  afterAll(async () => {
    await server.close();
    await place.close();
  });

  it('have its models, and run a tool', async () => {
    const { client } = server;
    const { body } = await client.get('/api/harness/models');
    expect(body['models']).toContainEqual(expect.objectContaining({ id: 'claude-sonnet-5-5' }));
    const sessionId = await client.createSession(server.projectRoot);
    const stream = await client.turn(sessionId, '[[tool=glob {"pattern":"*"}]]', {
      opts: { tools: ['glob'] },
    });
    expect((await stream.all()).at(-1)?.data).toEqual({ exitCode: 0 });
    const { data } = await stream.until('turn:end');
    expect(data['usage']).toMatchObject({ costUsd: expect.any(Number) });
    expect(place.requests.flatMap(({ fault }) => fault ?? [])).toEqual([]);
  });
});

describe('several places of Claude', () => {
  let [first, second]: CloudPlace[] = [];
  let store: TestStore;
  let server: ServerProcess;
  async function start(): Promise<void> {
    const { TURNPIKE_PROVIDER_PROFILE: _profile, ...bedrock } = second?.environment ?? {};
    server = await startProcess({
      ...bedrock,
      ...first?.environment,
      ...store.environment,
      // What the one place may reach, the other need not.
      TURNPIKE_EGRESS_ALLOW: new URL(first?.url ?? '').origin,
      TURNPIKE_MAKERS: `bedrock=${second?.url}`,
      TURNPIKE_FALLBACK_MODELS: 'bedrock/claude-sonnet-5-5',
      TURNPIKE_PROVIDER_RETRIES: '0',
      TURNPIKE_LEASE_MS: '2000',
    });
  }
  beforeAll(async () => {
    [first, second] = await Promise.all([startCloudPlace('vertex'), startCloudPlace('bedrock')]);
    store = await newStore();
    await start();
  });
  afterAll(async () => {
    await server.kill('SIGTERM');
    await store.close();
    await Promise.all([first?.close(), second?.close()]);
  });

  it('are named before the model, and one goes on where another does not answer', async () => {
    const { client } = server;
    const { body } = await client.get('/api/harness/models');
    expect(body['models']).toContainEqual(
      expect.objectContaining({
        id: 'bedrock/claude-sonnet-5-5',
        name: 'Claude Sonnet 5.5 (bedrock)',
      }),
    );
    const sessionId = await client.createSession(newFolder());
    const opts = { tools: ['glob'] };
    const before = await client.turn(sessionId, 'Hello', { opts });
    expect((await before.all()).at(-1)?.data).toEqual({ exitCode: 0 });
    expect([first?.requests.length, second?.requests.length]).toEqual([1, 0]);
    if (first !== undefined) {
      first.manner.answer = (response) => {
        response.destroy();
        return true;
      };
    }
    const turn = await client.turn(sessionId, '[[tool=glob {"pattern":"*"}]]', { opts });
    const frames = await turn.all();
    expect(frames.at(-1)?.data).toEqual({ exitCode: 0 });
    const notices = frames.filter(({ event }) => event === 'system:notice');
    expect(notices.map(({ data }) => data)).toContainEqual(
      expect.objectContaining({
        kind: 'model-fallback',
        metadata: {
          from: 'claude-sonnet-5-5',
          to: 'bedrock/claude-sonnet-5-5',
          reason: 'unavailable',
        },
      }),
    );
    expect(second?.requests.map(({ fault }) => fault)).toEqual([undefined, undefined]);
    expect(await turn.until('turn:end')).toMatchObject({
      data: { usage: { costUsd: expect.any(Number) } },
    });
  });

  it('keep a turn where it went, also after kill -9', async () => {
    const { client } = server;
    const sessionId = await client.createSession(newFolder());
    const sent = await client.turn(sessionId, '[[tokens=60 gap=50]]', {
      opts: { onDisconnect: 'continue' },
    });
    const turn = new FollowedTurn(sessionId, sent);
    await turn.until((frame) => String(frame.data['text']).includes('word5'));
    const [asked, before] = [first?.requests.length, second?.requests.length ?? 0];
    await server.kill('SIGKILL');
    await start();
    await turn.comeBack(server.client);
    expect(await turn.exit()).toEqual({ exitCode: 0 });
    expect([first?.requests.length, second?.requests.length]).toEqual([asked, before + 1]);
    const fallbacks = turn.frames.filter(({ data }) => data['kind'] === 'model-fallback');
    expect(fallbacks).toHaveLength(1);
  });
});

/** One whose requests are written anew, framed and signed, and one that is written anew alone. */
describe.each<CloudName>(['bedrock', 'vertex'])('turns in %s', (cloud) => {
  const { server, start, faults } = useServer(cloud);

  it('go on after kill -9 in the middle of a reply', async () => {
    const { client } = server();
    const sessionId = await client.createSession(newFolder());
    const sent = await client.turn(sessionId, '[[tokens=60 gap=50]]', {
      opts: { onDisconnect: 'continue' },
    });
    const turn = new FollowedTurn(sessionId, sent);
    await turn.until((frame) => String(frame.data['text']).includes('word5'));
    await server().kill('SIGKILL');
    await turn.comeBack((await start()).client);
    expect(await turn.exit()).toEqual({ exitCode: 0 });
    expect(turn.frames.map(({ event }) => event)).toContain('step:discard');
    expect(faults()).toEqual([]);
  });
});
