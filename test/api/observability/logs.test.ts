import { beforeAll, describe, expect, it } from '@jest/globals';
import { KeyedClient, makeKey } from '../../support/clients/keyed-client.js';
import { expectSoon } from '../../support/expect-soon.js';
import { useServer } from '../../support/processes/start-server.js';

type Line = Record<string, unknown>;

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

describe('the log of a server', () => {
  let key: string;
  // Every line that there is: `startServer` logs at debug.
  const server = useServer({ environment: { TURNPIKE_PROVIDER_RETRIES: '0' } });
  beforeAll(async () => {
    key = (await makeKey(server, { principal: 'ann' })).secret;
  });

  const lines = (): Line[] => server.logLines.map((line) => JSON.parse(line) as Line);
  /** The line of a request, once it has ended. */
  async function requestLine(id: string): Promise<Line> {
    const ofRequest = () =>
      lines().filter(({ msg, requestId }) => msg === 'request' && requestId === id);
    await expectSoon(() => expect(ofRequest()).toHaveLength(1));
    return ofRequest()[0] ?? {};
  }
  const headersOf = (id: string) => ({ authorization: `Bearer ${key}`, 'x-request-id': id });

  async function createSession(): Promise<string> {
    const { projectRoot } = server;
    const { body } = await new KeyedClient(server.url, key).send(
      'POST',
      '/api/harness/session/create',
      { projectRoot },
    );
    return (body['session'] as { sessionId: string }).sessionId;
  }

  const post = (path: string, body: unknown, headers: Record<string, string>) =>
    fetch(server.url + path, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });

  it('has one line of a stream: whose it was, how far it came, and who ended it', async () => {
    const sessionId = await createSession();
    const trace = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
    const response = await post(
      '/api/harness/turn',
      { sessionId, message: '[[tokens=3]]' },
      { ...headersOf('stream-1'), ...trace },
    );
    const text = await response.text();
    const turnId = response.headers.get('x-turn-id');
    const line = await requestLine('stream-1');
    expect(line).toEqual({
      level: 'info',
      time: expect.any(String),
      msg: 'request',
      requestId: 'stream-1',
      traceId: TRACE,
      method: 'POST',
      route: '/api/harness/turn',
      status: 200,
      ms: expect.any(Number),
      bytes: expect.any(Number),
      principal: 'ann',
      sessionId,
      turnId,
      frames: [...text.matchAll(/^data: /gm)].length,
      cursor: [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1],
    });
    // With the head of the answer and the frames of its encoding.
    expect(line['bytes']).toBeGreaterThan(text.length);
    const left = new AbortController();
    const following = await fetch(`${server.url}/api/harness/turns/${turnId}/events`, {
      headers: headersOf('stream-2'),
    });
    await following.text();
    expect(await requestLine('stream-2')).toMatchObject({ turnId, frames: line['frames'] });
    const running = await fetch(`${server.url}/api/harness/turn`, {
      method: 'POST',
      signal: left.signal,
      body: JSON.stringify({ sessionId, message: '[[tokens=200 gap=100]]' }),
      headers: { 'content-type': 'application/json', ...headersOf('stream-3') },
    });
    await running.body?.getReader().read();
    left.abort();
    expect(await requestLine('stream-3')).toMatchObject({ status: 200, closedBy: 'client' });
  });

  it('has a line of the end of a turn with its outcome, time, tokens and cost', async () => {
    const sessionId = await createSession();
    const trace = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
    const body = { sessionId, message: '[[tokens=3]]' };
    await (await post('/api/harness/turn', body, { ...headersOf('turn-1'), ...trace })).text();
    const ended = () =>
      lines().find(({ msg, requestId }) => msg === 'turn ended' && requestId === 'turn-1');
    await expectSoon(() => expect(ended()).toBeDefined());
    expect(ended()).toEqual({
      level: 'info',
      time: expect.any(String),
      msg: 'turn ended',
      requestId: 'turn-1',
      traceId: TRACE,
      turnId: expect.stringMatching(/^turn_/),
      sessionId,
      attempt: 1,
      outcome: 'completed',
      reason: 'end_turn',
      durationMs: expect.any(Number),
      steps: 1,
      inputTokens: expect.any(Number),
      outputTokens: expect.any(Number),
      cacheReadTokens: expect.any(Number),
      cacheWriteTokens: expect.any(Number),
      costUsd: expect.any(Number),
    });
  });

  it('has levels that mean something', async () => {
    const refused = await post('/api/harness/turn', '{', headersOf('level-1'));
    expect(refused.status).toBe(400);
    expect(await requestLine('level-1')).toMatchObject({
      level: 'info',
      error: { type: 'INVALID_REQUEST' },
    });
    const sessionId = await createSession();
    const message = '[[fail=529 after=0]]';
    await (await post('/api/harness/turn', { sessionId, message }, headersOf('level-2'))).text();
    const ended = () =>
      lines().find(({ msg, requestId }) => msg === 'turn ended' && requestId === 'level-2');
    await expectSoon(() => expect(ended()).toBeDefined());
    expect(ended()).toMatchObject({
      level: 'error',
      outcome: 'failed',
      error: { type: 'SDK_FAILURE', category: 'API_RESPONSE_ERROR', reason: 'OVERLOADED' },
    });
    expect(lines().filter(({ level }) => level === 'warn')).toEqual([]);
  });

  it('is found by the id that an error has, on every wire', async () => {
    const paths = [
      '/api/harness/turn',
      '/agent/none/chat',
      '/api/oracle/stream',
      '/api/chat',
      '/no',
    ];
    for (const path of paths) {
      const answer = await post(path, { x: 1 }, headersOf('error-1'));
      expect(answer.headers.get('x-request-id')).toBe('error-1');
      const body = (await answer.json()) as { error?: Line };
      expect([path, body.error ?? body]).toEqual([
        path,
        expect.objectContaining({ correlationId: 'error-1' }),
      ]);
    }
  });

  it('has nothing of what people, models and tools say, nor of headers and queries', async () => {
    const planted = 'planted-7f3a91';
    const secret = (where: string): string => `${where}-${planted}`;
    const sessionId = await createSession();
    const headers = {
      ...headersOf('secret-1'),
      cookie: `session=${secret('cookie')}`,
      'x-anything': secret('header'),
      'user-agent': secret('agent'),
    };
    const tool = `[[tool=glob ${JSON.stringify({ pattern: secret('argument') })}]]`;
    const opts = { model: secret('model'), note: secret('note'), clientTools: secret('tools') };
    const bodies: [string, unknown][] = [
      ['/api/harness/turn', { sessionId, message: `${secret('message')} ${tool}` }],
      ['/api/harness/turn', { sessionId, message: secret('optioned'), opts }],
      ['/api/harness/turn', `{"message":"${secret('broken')}`],
      ['/api/harness/turn', { sessionId, message: 'Hello', attachments: [`/${secret('path')}`] }],
      [`/agent/WORKING_ITEMS/chat?x=${secret('query')}`, { message: secret('chat') }],
      [`/api/oracle/stream?x=${secret('query')}`, { question: secret('question') }],
      ['/api/chat', { id: 'a', messages: [{ role: 'user', parts: secret('parts') }] }],
      ['/api/harness/session/create', { projectRoot: `/${secret('folder')}` }],
      [`/api/harness/approvals/appr_x?x=${secret('query')}`, { decision: secret('decision') }],
    ];
    for (const [path, body] of bodies) await (await post(path, body, headers)).text();
    for (const path of [
      `/api/harness/sessions?limit=${secret('limit')}`,
      `/api/harness/turns/turn_x/events?after=${secret('after')}`,
    ]) {
      await (await fetch(server.url + path, { headers })).text();
    }
    await fetch(`${server.url}/agents`, { headers: { authorization: `Bearer ${secret('key')}` } });
    await expectSoon(() => {
      const requests = lines().filter(
        ({ msg, requestId }) => msg === 'request' && requestId === 'secret-1',
      );
      expect(requests).toHaveLength(bodies.length + 2);
    });
    const leaks = server.logLines.filter((line) => line.includes(planted));
    const messages = leaks.map((line) => (JSON.parse(line) as Line)['msg']);
    // Debug lines say what a client is told, which may name what it sent: a model, a folder, a file.
    expect(new Set(messages)).toEqual(new Set(['request refused', 'an attachment was refused']));
    expect(leaks.filter((line) => !line.startsWith('{"level":"debug"'))).toEqual([]);
    expect(leaks.join('').match(/\w+(?=-planted)/g)).toEqual(['model', 'path', 'path', 'folder']);
  });
});
