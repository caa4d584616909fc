import { existsSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { usageDays } from '../../../src/storage/governance-schema.js';
import { Client } from '../../support/clients/client.js';
import { makeKey } from '../../support/clients/keyed-client.js';
import { filesWith, redisKeysWith, tablesWith } from '../../support/find-text.js';
import { useServer } from '../../support/processes/start-server.js';
import { playScene, sceneEnvironment } from '../../support/transfer/play-scene.js';
import { newFolder } from '../../support/suite.js';

const name = 'erin.zebra';
const marker = 'zebramark';

describe('forgetting a principal', () => {
  let admin: Client;
  let erin: Client;
  let bob: Client;
  const projects = newFolder();
  const blobs = newFolder();
  const server = useServer(async () => ({
    environment: {
      ...(await sceneEnvironment()),
      TURNPIKE_PROJECTS_DIR: projects,
      TURNPIKE_BLOB_DIR: blobs,
      TURNPIKE_REQUESTS_PER_MINUTE: '100000',
      TURNPIKE_TOKENS_PER_DAY: '100000000',
    },
  }));
  beforeAll(async () => {
    const clientOf = async (principal: string, scopes: string[]): Promise<Client> => {
      const { secret } = await makeKey(server, { principal, scopes, name: `key of ${principal}` });
      return new Client(server.url, { authorization: `Bearer ${secret}` });
    };
    admin = await clientOf('root', ['admin']);
    erin = await clientOf(name, ['turns', 'approvals']);
    bob = await clientOf('bob', ['turns', 'approvals']);
  });

  const places = async (text: string) => {
    const { environment } = server.store;
    const { REDIS_URL, TURNPIKE_REDIS_PREFIX = '' } = environment;
    return {
      tables: await tablesWith(server.db, text),
      keys:
        REDIS_URL === undefined ? [] : await redisKeysWith(REDIS_URL, TURNPIKE_REDIS_PREFIX, text),
      files: [...(await filesWith(blobs, text)), ...(await filesWith(projects, text))],
    };
  };
  const upload = (client: Client, text: string) =>
    client.post(
      '/api/harness/attachments',
      [
        '--x',
        `Content-Disposition: form-data; name="files"; filename="${text}.txt"`,
        'Content-Type: text/plain',
        '',
        `Contents with ${text}`,
        '--x--',
        '',
      ].join('\r\n'),
      { 'content-type': 'multipart/form-data; boundary=x' },
    );

  it('leaves nothing of it in any table, key or file, and everything of others', async () => {
    const own = path.join(projects, name);
    const folder = await erin.post('/api/harness/session/create', { projectRoot: own });
    expect(folder.status).toBe(200);
    const scene = { ...server, client: erin, projectRoot: own };
    await playScene(scene, marker);
    expect((await upload(erin, marker)).status).toBe(200);
    await erin.request('PUT', '/api/settings/models', {
      body: '{"oracle_model":"claude-haiku-4-5"}',
      headers: { 'content-type': 'application/json' },
    });
    const webhook = { url: 'https://hooks.example/erin', description: marker };
    expect((await erin.post('/api/harness/webhooks', webhook)).status).toBe(200);
    const remembered = await erin.request(
      'PUT',
      '/api/harness/memory/KEEPER/file?path=/memories/x',
      {
        body: JSON.stringify({ content: marker }),
        headers: { 'content-type': 'application/json', 'if-none-match': '*' },
      },
    );
    expect(remembered.status).toBe(200);
    const sessionId = await erin.createSession(own);
    const running = await erin.turn(sessionId, `${marker} [[tokens=20000 gap=20]]`, {
      opts: { onDisconnect: 'continue' },
    });
    await running.until('chat:delta');
    const parked = await erin.turn(
      await erin.createSession(own),
      `[[tool=write {"file_path":"${marker}","content":"${marker}"}]]`,
      { opts: { onDisconnect: 'continue' } },
    );
    await parked.until('approval:request');
    // Others have a session of their own, and the same file.
    const shared = await playScene(
      { ...server, client: bob, projectRoot: server.projectRoot },
      'bobs',
    );

    const before = await admin.get(`/api/admin/principals/${name}`);
    expect(before).toMatchObject({
      status: 200,
      body: {
        sessions: 5,
        activeTurns: 2,
        uploads: 1,
        files: 2,
        keys: 1,
        memoryFiles: 1,
        projectFolder: own,
        usageDays: 1,
      },
    });
    // Without limits no row of them counts a day.
    const ofLimits = eq(usageDays.principalId, name);
    const limited = await server.db.delete(usageDays).where(ofLimits).returning();
    const unlimited = await admin.get(`/api/admin/principals/${name}`);
    await server.db.insert(usageDays).values(limited);
    expect(unlimited.body['usageDays']).toBe(1);
    expect((await places(marker)).tables).toEqual(
      expect.arrayContaining([
        'messages',
        'steps',
        'turns',
        'turn_archives',
        'uploads',
        'memory_files',
      ]),
    );
    expect((await places(name)).tables).toEqual(
      expect.arrayContaining([
        'sessions',
        'turns',
        'api_keys',
        'audit_log',
        'usage_days',
        'user_settings',
      ]),
    );
    const spent = await server.db.select().from(usageDays);
    const sumOf = async (who: string) => {
      const { body } = await admin.get('/api/harness/usage/days?of=all&by=principal');
      const days = body['days'] as { principal: string; turns: number; usd: number }[];
      return days.find(({ principal }) => principal === who);
    };
    const billed = await sumOf(name);

    const forgotten = await admin.request('DELETE', `/api/admin/principals/${name}?projects=true`);
    expect([forgotten.status, forgotten.body['sessions']]).toEqual([200, 5]);
    // Its keys are revoked before its turns end.
    expect((await running.until('session:reauthenticate')).data).toEqual({ reason: 'ended' });
    expect(await places(marker)).toEqual({ tables: [], keys: [], files: [] });
    expect(await places(name)).toEqual({ tables: [], keys: [], files: [] });
    expect(existsSync(own)).toBe(false);

    expect((await erin.get('/api/harness/sessions')).status).toBe(401);
    const kept = await bob.get(`/api/harness/sessions/${shared.sessionId}/messages`);
    expect(kept.status).toBe(200);
    expect((await filesWith(blobs, 'Contents of bobs')).length).toBe(1);
    const nobody = await server.db
      .select()
      .from(usageDays)
      .where(eq(usageDays.principalId, '(forgotten)'));
    const erins = spent.find(({ principalId }) => principalId === name);
    expect(nobody[0]?.tokens).toBeGreaterThanOrEqual(
      (erins?.tokens ?? Infinity) - (erins?.reservedTokens ?? 0),
    );

    // What was paid was paid: nobody's name stands at it any more.
    expect(await sumOf(name)).toBeUndefined();
    const paid = await sumOf('(forgotten)');
    expect(billed?.turns).toBeGreaterThan(0);
    expect(paid?.turns).toBeGreaterThanOrEqual(billed?.turns ?? Infinity);
    expect(paid?.usd).toBeGreaterThanOrEqual((billed?.usd ?? Infinity) - 0.000001);

    const again = await admin.get(`/api/admin/principals/${name}`);
    expect(again.body).toMatchObject({ sessions: 0, turns: 0, files: 0, keys: 0, auditEntries: 0 });
  });

  it('is for admins, with a name that can be one', async () => {
    expect((await bob.get('/api/admin/principals/bob')).status).toBe(403);
    expect((await bob.request('DELETE', '/api/admin/principals/bob')).status).toBe(403);
    const odd = await admin.request('DELETE', '/api/admin/principals/a%20b');
    expect([odd.status, odd.body['error']]).toMatchObject([400, { type: 'INVALID_REQUEST' }]);
    const maybe = await admin.request('DELETE', '/api/admin/principals/nobody?projects=maybe');
    expect(maybe.status).toBe(400);
  });
});
