import { afterEach, describe, expect, it } from '@jest/globals';
import { startScriptedModel } from '../../support/model/start-scripted-model.js';
import { startServer, type TestServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

interface Marked {
  system: { cache_control?: object }[];
  messages: { content: { cache_control?: object }[] | string }[];
}

describe('the cache of a session in which a turn waited for people', () => {
  const model = useShared(startScriptedModel);
  const server = useShared((): Promise<TestServer> =>
    startServer({
      environment: {
        TURNPIKE_PROVIDER_BASE_URL: model.url,
        TURNPIKE_EGRESS_ALLOW: model.url,
      },
    }),
  );
  afterEach(() => {
    model.texts.length = 0;
  });

  /** The marks of each request, in order. */
  const marks = (): unknown[][] =>
    model.texts.map((text) => {
      const { system, messages } = JSON.parse(text) as Marked;
      const blocks = [system, ...messages.map(({ content }) => content)].flat();
      return blocks.flatMap((block) =>
        typeof block === 'string' ? [] : (block.cache_control ?? []),
      );
    });
  const usual = { type: 'ephemeral' };
  const forHour = { type: 'ephemeral', ttl: '1h' };
  const only = (one: object) => (all: unknown[]) =>
    all.every((mark) => JSON.stringify(mark) === JSON.stringify(one));

  it('is kept for an hour from then on, in later turns as well', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot, { permissions: { ask: ['glob'] } });
    model.script = [{ call: { name: 'glob', input: '{"pattern":"*"}' } }, { text: 'Done.' }];
    const turn = await client.turn(sessionId, 'Look.', { opts: { tools: ['glob'] } });
    const asked = await turn.until('approval:request');
    const path = `/api/harness/approvals/${String(asked.data['approvalId'])}`;
    expect((await client.post(path, { decision: 'approve' })).status).toBe(200);
    await turn.all();
    await (await client.turn(sessionId, 'And now?', { opts: { tools: ['glob'] } })).all();
    const [before, after, later] = marks();
    expect([before, after, later].map((all = []) => all.length > 0)).toEqual([true, true, true]);
    expect(only(usual)(before ?? [])).toBe(true);
    expect([after, later].map((all = []) => only(forHour)(all))).toEqual([true, true]);
  });

  it('is kept for five minutes in every other session', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    await (await client.turn(sessionId, 'Hello')).all();
    expect(marks().map(only(usual))).toEqual([true]);
  });
});
