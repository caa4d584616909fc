import { describe, expect, it } from '@jest/globals';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import type { DayOfUsage, UsageDaysQuery } from '../../../src/client/server-types.js';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import { keyedClient, makeKey } from '../../support/clients/keyed-client.js';
import { useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

describe('usage', () => {
  const root = instructionRootWith({
    LEAD: ['subagents: [TASKER]', 'AGENT_TYPE: 1', 'tools: [read]'],
    TASKER: ['AGENT_TYPE: 2', 'AGENT_CLASS: TASK'],
  });
  const server = useServer({
    environment: { TURNPIKE_INSTRUCTION_ROOT: root, TURNPIKE_ENABLE_SUBAGENTS: 'true' },
  });
  const people = useShared(async () => {
    const admin = await keyedClient(server, { principal: 'ops', scopes: ['admin', 'turns'] });
    const first = await makeKey(server, { principal: 'ann' });
    const second = await makeKey(server, { principal: 'ann' });
    const clientOf = (key = ''): TurnpikeClient => new TurnpikeClient({ url: server.url, key });
    return {
      admin: clientOf(admin.key),
      ann: clientOf(first.secret),
      second: clientOf(second.secret),
      ids: [first.id, second.id],
    };
  });

  async function run(client: TurnpikeClient, message: string, opts: object = {}) {
    const { sessionId } = await client.sessions.create({ persona: 'LEAD' });
    const turn = await client.turn({ sessionId, message, opts });
    const result = await turn.result().catch(() => undefined);
    return { sessionId, usd: result?.usage.costUsd ?? 0 };
  }
  const sums = (days: readonly DayOfUsage[]) =>
    days.map(({ turns, failed, tokens, usd }) => ({
      turns,
      failed,
      tokens,
      usd: Number(usd.toFixed(6)),
    }));
  const annsOf = (query: UsageDaysQuery = {}): Promise<DayOfUsage[]> => people.ann.usageDays(query);

  it('is told apart by key, agent and model, and stays when its session is deleted', async () => {
    const { ann, second, ids } = people;
    const task = '[[tool=task {"agent":"TASKER","prompt":"Say [[tokens=40]]"}]]';
    const subagentGovernance = { contextSealed: true, pipelineRunApproved: true, approvalRef: 'C' };
    const parent = await run(ann, task, { subagentGovernance });
    const other = await run(second, 'Hello [[tokens=20]]');
    await run(second, '[[fail=credit]]');
    const byKey = await annsOf({ by: 'key' });
    expect(byKey.map(({ key, agent, model, principal }) => [key, agent, model, principal])).toEqual(
      ids.toSorted().map((id) => [id, null, null, null]),
    );
    expect(sums(byKey.filter(({ key }) => key === ids[0]))).toEqual([
      // The subagent's cost is in that of the turn that asked it, and counts once.
      { turns: 1, failed: 0, tokens: expect.any(Number), usd: Number(parent.usd.toFixed(6)) },
    ]);
    expect(sums(byKey.filter(({ key }) => key === ids[1]))).toMatchObject([
      { turns: 2, failed: 1, usd: Number(other.usd.toFixed(6)) },
    ]);
    expect(await annsOf({ by: 'agent,model' })).toMatchObject([
      { agent: 'LEAD', model: 'claude-sonnet-5-5', principal: null, key: null, turns: 3 },
    ]);
    const before = sums(await annsOf({ by: 'key,model' }));
    await ann.sessions.delete(parent.sessionId);
    await ann.sessions.delete(other.sessionId);
    expect(sums(await annsOf({ by: 'key,model' }))).toEqual(before);
  });

  it('is of the days that are asked for', async () => {
    const today = new Date().toISOString().slice(0, 10);
    expect(await annsOf({ since: today, until: today })).not.toEqual([]);
    expect(await annsOf({ until: '2020-01-31' })).toEqual([]);
    expect(await annsOf({ since: '2999-01-01', until: '2999-12-31' })).toEqual([]);
  });

  it.each([
    { since: 'today' },
    { until: '2026-13-01' },
    { since: '2026-02-30' },
    { since: '0000-01-01' },
    { by: 'colour' },
    { by: 'key,,model' },
  ])('is refused for %j', async (query) => {
    await expect(annsOf(query)).rejects.toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
  });

  it('has the limits that a key gets while the server runs, at once', async () => {
    const { admin, ann, ids } = people;
    const [id = ''] = ids;
    const changed = await admin.keys.change(id, { name: 'web', limits: { usdPerDay: 0.000001 } });
    expect(changed).toMatchObject({ name: 'web', limits: { usdPerDay: 0.000001 } });
    const { sessionId } = await ann.sessions.create();
    const stopped = await ann.turn({ sessionId, message: 'More' });
    expect(await stopped.result()).toMatchObject({ outcome: 'limited' });
    await admin.keys.change(id, { limits: { usdPerDay: null, requestsPerMinute: 500 } });
    const turn = await ann.turn({ sessionId, message: 'More [[tokens=3]]' });
    expect((await turn.result()).outcome).toBe('completed');
    expect((await admin.keys.list()).find((key) => key.id === id)).toMatchObject({
      name: 'web',
      limits: { requestsPerMinute: 500 },
    });
  });

  it.each([
    [{ limits: { usdPerDay: -1 } }, 400],
    [{ limits: { usdPerDay: '5' } }, 400],
    [{ limits: { usdPerYear: 5 } }, 400],
    [{ scopes: ['admin'] }, 400],
    [{ name: 5 }, 400],
  ])('lets no key be changed by %j', async (changes, status) => {
    const { admin, ids } = people;
    await expect(admin.keys.change(ids[0] ?? '', changes as object)).rejects.toMatchObject({
      status,
    });
  });

  it('lets only an admin change keys that there are', async () => {
    const { admin, ann, ids } = people;
    const changes = { limits: { usdPerDay: 5 } };
    await expect(ann.keys.change(ids[0] ?? '', changes)).rejects.toMatchObject({ status: 403 });
    await admin.keys.revoke(ids[1] ?? '');
    for (const id of ['0000000000000000', ids[1] ?? '']) {
      const refused = admin.keys.change(id, changes);
      await expect(refused).rejects.toMatchObject({ code: 'KEY_NOT_FOUND' });
    }
  });
});
