import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import type { TurnEvent, TurnFilters, TurnSummary } from '../../../src/client/server-types.js';
import { auditLog } from '../../../src/storage/governance-schema.js';
import { KeyedClient, keyedClient } from '../../support/clients/keyed-client.js';
import { useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

const secrets = ['hidden-message', 'hidden-file.txt', 'hidden-content'];

describe('turns of all sessions', () => {
  const server = useServer();
  const people = useShared(async () => ({
    admin: await keyedClient(server, { principal: 'ops', scopes: ['admin'] }),
    ann: await keyedClient(server, { principal: 'ann' }),
    bob: await keyedClient(server, { principal: 'bob' }),
    reader: await keyedClient(server, { principal: 'ops', scopes: ['admin', 'texts'] }),
  }));
  const clientOf = ({ key }: KeyedClient): TurnpikeClient =>
    new TurnpikeClient({ url: server.url, key: key ?? '' });
  const list = async (who: KeyedClient, filters: TurnFilters = {}): Promise<TurnSummary[]> =>
    (await clientOf(who).turns.list(filters)).turns;
  const listAll = async (filters: TurnFilters): Promise<string[]> =>
    (await clientOf(people.admin).turns.listAll(filters)).turns.map(({ turnId }) => turnId);

  /** Runs turns of a session of its own, one after the other. */
  async function run(who: KeyedClient, messages: readonly string[]): Promise<string[]> {
    const client = clientOf(who);
    const { sessionId } = await client.sessions.create();
    const ids: string[] = [];
    for (const message of messages) {
      const turn = await client.turn({ sessionId, message });
      await turn.result().catch(() => undefined);
      ids.push(turn.turnId);
    }
    return ids;
  }

  const turns = useShared(async () => {
    const { ann, bob } = people;
    const made = await ann.send('POST', '/api/harness/session/create', {});
    const { projectRoot } = made.body['session'] as { projectRoot: string };
    await writeFile(path.join(projectRoot, 'hidden-file.txt'), 'hidden-content');
    const [plain = '', reading = ''] = await run(ann, [
      'hidden-message',
      'Read. [[tool=read {"file_path":"hidden-file.txt"}]]',
    ]);
    const [failed = ''] = await run(bob, ['[[fail=529 times=9]]']);
    return { plain, reading, failed };
  });

  it('are listed with what each did and cost, the newest first', async () => {
    const { plain, reading } = turns;
    const listed = await list(people.ann);
    expect(listed.map(({ turnId }) => turnId)).toEqual([reading, plain]);
    expect(listed[0]).toMatchObject({
      principal: 'ann',
      wire: 'harness',
      title: expect.stringMatching(/^Read\./),
      status: 'completed',
      outcome: 'completed',
      error: null,
      steps: 2,
      toolCalls: 1,
      tools: ['read'],
      agentVersion: expect.stringMatching(/^[\da-f]{12}$/),
      usage: { costUsd: expect.any(Number) },
    });
    const { firstTokenMs, durationMs } = listed[0] ?? {};
    expect(firstTokenMs).toEqual(expect.any(Number));
    expect(durationMs).toBeGreaterThanOrEqual(firstTokenMs ?? Number.NaN);
  });

  it('are found by each filter alone', async () => {
    const { plain, reading, failed } = turns;
    const { ann } = people;
    const found = async (filters: TurnFilters): Promise<string[]> =>
      (await list(ann, filters)).map(({ turnId }) => turnId);
    const [first] = await list(ann, { id: plain });
    const { sessionId = '', model = '', agent = '', createdAt = '' } = first ?? {};
    expect(await found({ id: plain })).toEqual([plain]);
    expect(await found({ session: sessionId })).toEqual([reading, plain]);
    expect(await found({ tool: 'read' })).toEqual([reading]);
    expect(await found({ model, agent, status: 'completed', wire: 'harness' })).toHaveLength(2);
    expect(await found({ model: 'claude-none' })).toEqual([]);
    expect(await found({ agent: 'NOBODY' })).toEqual([]);
    expect(await found({ wire: 'oracle' })).toEqual([]);
    expect(await found({ status: 'unended' })).toEqual([]);
    expect(await found({ since: createdAt, until: createdAt })).toEqual([]);
    expect(await found({ since: createdAt })).toEqual([reading, plain]);
    expect(await found({ minDurationMs: 3_600_000 })).toEqual([]);
    expect(await found({ minDurationMs: 1 })).toHaveLength(2);
    expect(await found({ minCostUsd: 1_000 })).toEqual([]);
    expect(await found({ minCostUsd: 0.000001 })).toHaveLength(2);
    expect(await listAll({ status: 'failed', error: 'SDK_FAILURE' })).toEqual([failed]);
    const [ofBob] = (await clientOf(people.admin).turns.listAll({ principal: 'bob' })).turns;
    const reason = ofBob?.error?.reason ?? 'none';
    expect(await listAll({ error: reason })).toEqual([failed]);
    expect(await listAll({ principal: 'bob' })).toEqual([failed]);
    expect(await listAll({ error: 'OUTPUT_INVALID' })).toEqual([]);
  });

  it('come page by page without holes', async () => {
    const { plain, reading, failed } = turns;
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await clientOf(people.admin).turns.listAll({
        limit: 1,
        ...(cursor && { cursor }),
      });
      seen.push(...page.turns.map(({ turnId }) => turnId));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual([failed, reading, plain]);
  });

  it.each(['minDurationMs=1e300', 'minCostUsd=1e300', 'agent=a%20b'])(
    'are none where %s finds none',
    async (query) => {
      const { status, body } = await people.ann.send('GET', `/api/harness/turns?${query}`);
      expect([status, body['turns']]).toEqual([200, []]);
    },
  );

  it.each([
    'status=done',
    'since=today',
    'until=2026-02-30T00:00:00Z',
    'minCostUsd=much',
    'agent=%00',
    'id=1',
    'cursor=x',
  ])('are refused with %s', async (query) => {
    const { status, body } = await people.ann.send('GET', `/api/harness/turns?${query}`);
    expect([status, (body['error'] as { type: string }).type]).toEqual([400, 'INVALID_REQUEST']);
  });

  it('of others are for the scope admin, which sees no text of them', async () => {
    const { plain, reading, failed } = turns;
    const { ann, bob, admin } = people;
    expect((await ann.send('GET', '/api/admin/turns')).status).toBe(403);
    expect(await list(bob, { id: plain })).toEqual([]);
    for (const id of [plain, reading]) {
      expect((await bob.send('GET', `/api/admin/turns/${id}`)).status).toBe(403);
      expect((await bob.send('GET', `/api/admin/turns/${id}/log`)).status).toBe(403);
      const whole = await Promise.all([
        admin.send('GET', '/api/admin/turns'),
        admin.send('GET', `/api/admin/turns/${id}`),
        admin.send('GET', `/api/admin/turns/${id}/log`),
      ]);
      expect(whole.map(({ status }) => status)).toEqual([200, 200, 200]);
      for (const secret of secrets)
        expect(whole.map(({ text }) => text).join()).not.toContain(secret);
    }
    const { body } = await admin.send('GET', `/api/admin/turns/${failed}`);
    expect(body['turn']).toMatchObject({
      principal: 'bob',
      status: 'failed',
      error: {
        type: 'SDK_FAILURE',
        reason: 'OVERLOADED',
        message: null,
        action: 'Wait, then send the turn again.',
      },
    });
    expect((await list(bob))[0]?.error?.message).toMatch(/./);
  });

  it('show an admin when each thing happened, and to whom it was said only with the scope texts', async () => {
    const { reading } = turns;
    const { ann, admin, reader } = people;
    const [own, closed] = await Promise.all(
      [
        ann.send('GET', `/api/harness/turns/${reading}/log`),
        admin.send('GET', `/api/admin/turns/${reading}/log`),
      ].map(async (answer) => (await answer).body['events'] as TurnEvent[]),
    );
    const facts = (events: TurnEvent[] = []) => events.map(({ type, at, seq }) => [type, at, seq]);
    expect(facts(closed)).toEqual(facts(own));
    const withTexts = `/api/admin/turns/${reading}/log?texts=true`;
    expect((await admin.send('GET', withTexts)).body).toMatchObject({
      error: { type: 'FORBIDDEN_SCOPE' },
    });
    expect((await reader.send('GET', withTexts)).body['events']).toEqual(own);
    const noted = await server.db
      .select({ by: auditLog.principalId, subject: auditLog.subject })
      .from(auditLog)
      .where(eq(auditLog.action, 'turn.texts-read'));
    expect(noted).toEqual([{ by: 'ops', subject: reading }]);
  });

  it('that do not exist are not found by an admin either', async () => {
    const id = 'turn_6b0f7c1e-3c0a-4f0e-9a53-6a3b7c0f2d11';
    for (const one of [id, `${id}/log`, 'x']) {
      const { body } = await people.admin.send('GET', `/api/admin/turns/${one}`);
      expect(body).toMatchObject({ error: { type: 'TURN_NOT_FOUND' } });
    }
  });
});
