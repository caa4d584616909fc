import { describe, expect, it } from '@jest/globals';
import { KeyedClient, makeKey } from '../../support/clients/keyed-client.js';
import { startServer, useServer } from '../../support/processes/start-server.js';

const typeOf = (code: string): string => `https://turnpike.dev/docs/errors/${code}`;

describe('the AG-UI wire, of what it does not take', () => {
  const server = useServer();

  const route = (): string => `${server.url}/agent/WORKING_ITEMS/ag-ui`;

  const body = (more: object = {}) => ({
    threadId: 't',
    runId: 'r',
    messages: [{ id: 'u1', role: 'user', content: 'Hello' }],
    ...more,
  });

  const post = (sent: unknown): Promise<Response> =>
    fetch(route(), {
      method: 'POST',
      body: typeof sent === 'string' ? sent : JSON.stringify(sent),
      headers: { 'content-type': 'application/json' },
    });

  it.each<[string, unknown, string]>([
    ['no JSON', '{', 'valid JSON'],
    ['a list', [], 'RunAgentInput'],
    ['no thread', { runId: 'r', messages: [] }, "'threadId'"],
    [
      'a long thread',
      {
        runId: 'r',
        messages: [{ id: 'u', role: 'user', content: 'Hi' }],
        threadId: 'x'.repeat(257),
      },
      '256',
    ],
    ['no run', { threadId: 't', messages: [] }, "'runId'"],
    ['a run with NUL', { threadId: 't', runId: 'r\0', messages: [] }, "'runId'"],
    ['no messages', { threadId: 't', runId: 'r' }, "'messages'"],
    ['an odd message', { threadId: 't', runId: 'r', messages: [{ role: 'user' }] }, 'messages[0]'],
    ['nothing new', { threadId: 't', runId: 'r', messages: [] }, 'nothing new'],
    ['an odd entry', { threadId: 't', runId: 'r', messages: [], resume: [{}] }, 'resume[0]'],
    [
      'an odd prop',
      { threadId: 't', runId: 'r', messages: [], forwardedProps: { turnpike: { a: 1 } } },
      '"a"',
    ],
    [
      'a tool of the server’s name',
      {
        threadId: 't',
        runId: 'r',
        messages: [{ id: 'u', role: 'user', content: 'Hi' }],
        tools: [{ name: 'read', description: 'x' }],
      },
      'read',
    ],
  ])('refuses a body with %s, and says what is wrong', async (_name, sent, message) => {
    const refused = await post(sent);
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { type: typeOf('invalid-request'), detail: expect.stringContaining(message) },
    ]);
  });

  it('knows no agent, interrupt or turn that there is not', async () => {
    const unknown = await fetch(route().replace('WORKING_ITEMS', 'NOBODY'), {
      method: 'POST',
      body: JSON.stringify(body()),
      headers: { 'content-type': 'application/json' },
    });
    expect([unknown.status, await unknown.json()]).toMatchObject([
      404,
      { type: typeOf('persona-not-found') },
    ]);
    const interruptId = 'appr_00000000-0000-4000-8000-000000000000';
    const resume = [{ interruptId, status: 'resolved', payload: { approved: true } }];
    const gone = await post(body({ messages: [], resume }));
    expect([gone.status, await gone.json()]).toMatchObject([
      404,
      { type: typeOf('approval-not-found') },
    ]);
    await (await post(body())).text();
    const output = { id: 'u2', role: 'tool', toolCallId: 'a\0', content: 'x' };
    const messages = [{ id: 'a1', role: 'assistant' }, output];
    expect((await post(body({ runId: 'r2', messages }))).status).toBe(400);
    const none = await fetch(`${route()}/turn_00000000-0000-4000-8000-000000000000`);
    expect([none.status, await none.json()]).toMatchObject([
      404,
      { type: typeOf('turn-not-found') },
    ]);
  });

  it('knows no turn of another agent', async () => {
    const run = await post(body({ threadId: 'of-one-agent' }));
    await run.text();
    const turn = run.headers.get('x-turn-id') ?? '';
    const ofOwn = await fetch(`${route()}/${turn}`);
    expect([ofOwn.status, await ofOwn.text()]).toEqual([
      200,
      expect.stringContaining('RUN_FINISHED'),
    ]);
    const ofOther = await fetch(`${route().replace('WORKING_ITEMS', 'reader')}/${turn}`);
    expect([ofOther.status, await ofOther.text()]).toEqual([
      404,
      expect.stringContaining(typeOf('turn-not-found')),
    ]);
  });
});

it('takes a person’s answer from a key for approvals only', async () => {
  const server = await startServer();
  try {
    const keyOf = async (scopes: string[]) =>
      (await makeKey(server, { principal: 'ann', scopes })).secret;
    const both = await keyOf(['turns', 'approvals']);
    const asker = new KeyedClient(server.url, await keyOf(['turns']));
    const turnpike = { projectRoot: server.projectRoot, opts: { mode: 'direct' } };
    const content = '[[tool=write {"file_path":"a.txt","content":"x"}]]';
    const run = {
      threadId: 't',
      runId: 'r1',
      messages: [{ id: 'u1', role: 'user', content }],
      forwardedProps: { turnpike },
    };
    const route = '/agent/WORKING_ITEMS/ag-ui';
    const { text } = await asker.send('POST', route, run);
    const interruptId = /"interrupts":\[\{"id":"([^"]+)"/.exec(text)?.[1];
    const resume = [{ interruptId, status: 'resolved', payload: { approved: true } }];
    const answer = { ...run, runId: 'r2', messages: [], resume };
    expect(await asker.send('POST', route, answer)).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining("scope 'approvals'") },
    });
    const person = new KeyedClient(server.url, both);
    expect((await person.send('POST', route, answer)).text).toContain('"outcome":"completed"');
  } finally {
    await server.close();
  }
});
