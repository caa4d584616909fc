import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Mcp } from '../../src/tools/mcp/mcp.js';
import { expectSoon } from '../support/expect-soon.js';
import { callMcp, openTestMcp, turnOf } from '../support/mcp/open-test-mcp.js';
import {
  messageOf,
  send,
  startScriptedMcp,
  textResult,
  toolEntry,
  type ScriptedMcp,
} from '../support/mcp/start-scripted-mcp.js';

const noSession = JSON.stringify({
  jsonrpc: '2.0',
  error: { code: -32_000, message: 'Bad Request: No valid session ID provided' },
  id: null,
});

describe('an MCP server over HTTP that is unlike others', () => {
  let server: ScriptedMcp;
  let mcp: Mcp;
  beforeEach(async () => {
    server = await startScriptedMcp();
    server.tools = [toolEntry('now')];
  });
  afterEach(async () => {
    await mcp.close();
    await server.close();
  });

  async function open(more: object = {}) {
    mcp = await openTestMcp({ servers: { odd: { url: server.url, ...more } } });
    return turnOf(mcp);
  }
  const started = (): number => server.methods.filter((one) => one === 'initialize').length;

  const statuses: [number, string][] = [
    [404, 'Session not found'],
    [400, noSession],
    [400, '{"error":{"message":"Bad Request: Server not initialized"}}'],
    [410, 'This session is gone'],
  ];
  it.each(statuses)(
    'and says by %i %s that it lost the session gets a new one',
    async (status, body) => {
      const turn = await open();
      expect(await callMcp(turn, 'mcp__odd__now')).toBe('done');
      server.gone = { status, body };
      server.forget();
      const again = callMcp(turn, 'mcp__odd__now');
      // The tool must not run twice: only 404 says that it did not run.
      if (status === 404) expect(await again).toBe('done');
      else await expect(again).rejects.toThrow('The call may have done part of its work.');
      expect(await callMcp(turn, 'mcp__odd__now')).toBe('done');
      expect(started()).toBe(2);
    },
  );

  it.each([
    [400, 'nope', 'it answered HTTP 400: nope.'],
    [401, '', 'it answered HTTP 401; check the credentials in its headers.'],
    [500, '<html>a page</html>', 'it answered HTTP 500.'],
    [
      503,
      '{"error":{"message":"The session store\\n is down"}}',
      'HTTP 503: The session store\\n is down.',
    ],
  ])(
    'and answers %i %s without its session is in a new one with the next call',
    async (status, body, said) => {
      const turn = await open();
      server.gone = { status, body };
      server.forget();
      const failed = await callMcp(turn, 'mcp__odd__now').catch((error: Error) => error.message);
      expect(failed).toContain(said);
      expect(failed).toContain('The next call starts it again.');
      expect(await callMcp(turn, 'mcp__odd__now')).toBe('done');
    },
  );

  it.each([
    [-32_600, 'Invalid Request: unknown session'],
    [-32_001, 'Not found'],
    [-32_000, 'Server not initialized'],
  ])('and answers 200 with %i %s is in a new session with the next call', async (code, message) => {
    const turn = await open();
    server.gone = ({ id }) => JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
    server.forget();
    await expect(callMcp(turn, 'mcp__odd__now')).rejects.toThrow(`it answered: ${message}`);
    expect(await callMcp(turn, 'mcp__odd__now')).toBe('done');
    expect(started()).toBe(2);
  });

  it('and is at work when its call ends is told that the call is cancelled', async () => {
    const stop = new AbortController();
    server.answer = () => stop.abort(new Error('the turn was stopped'));
    const turn = await open();
    await expect(callMcp(turn, 'mcp__odd__now', {}, { signal: stop.signal })).rejects.toThrow(
      'the turn was stopped',
    );
    const cancelled = (): string | undefined =>
      server.bodies.find((body) => body.includes('notifications/cancelled'));
    await expectSoon(() => expect(cancelled()).toBeDefined());
    const call = server.bodies.find((body) => body.includes('tools/call')) ?? '{}';
    expect(JSON.parse(cancelled() ?? '{}').params.requestId).toBe(JSON.parse(call).id);
  });

  it.each([...statuses, [503, ''] as const])(
    'and is repeatable is called again at once after %i %s',
    async (status, body) => {
      server.tools = [toolEntry('now', { annotations: { readOnlyHint: true } })];
      const turn = await open({ trustAnnotations: true });
      server.gone = { status, body };
      server.forget();
      expect(await callMcp(turn, 'mcp__odd__now')).toBe('done');
    },
  );

  it('and fails one call goes on with the others', async () => {
    server.tools = [toolEntry('slow'), toolEntry('broken')];
    let goOn = (): void => undefined;
    server.answer = (asked, response) => {
      if (asked.params?.name === 'broken') return void response.writeHead(500).end('out of order');
      goOn = () => send(server, response, messageOf(asked, textResult('at last')));
      return undefined;
    };
    const turn = await open();
    const slow = callMcp(turn, 'mcp__odd__slow');
    await expect(callMcp(turn, 'mcp__odd__broken')).rejects.toThrow('HTTP 500: out of order');
    goOn();
    expect(await slow).toBe('at last');
  });

  it.each([true, false])(
    'and sends too much is named with the limit: as a stream %s',
    async (isStream) => {
      server.isStream = isStream;
      server.results['now'] = textResult('x'.repeat(9 * 1_048_576));
      const turn = await open();
      await expect(callMcp(turn, 'mcp__odd__now')).rejects.toThrow(
        'it sent more than 8388608 bytes in one message',
      );
      server.results['now'] = textResult('less');
      expect(await callMcp(turn, 'mcp__odd__now')).toBe('less');
    },
  );

  it('and needs tasks for a tool has its other tools offered', async () => {
    const execution = { taskSupport: 'required' };
    server.tools.push(toolEntry('task', { execution }), '{"name":"bare"}', '{"name":7}', 'null');
    const { tools, problems } = await open();
    expect(tools.map(({ name }) => name)).toEqual(['mcp__odd__now', 'mcp__odd__bare']);
    expect(problems.map(({ reason }) => reason)).toEqual([
      'its tool "task" is left out: it runs as a task only (execution.taskSupport), which is not supported',
      'its tool without a name is left out: it has no name',
      'its tool without a name is left out: it has no name',
    ]);
  });

  it.each([
    ['', []],
    ['"instructions":"  "', []],
    ['"instructions":"Call now first."', ['Call now first.']],
    [`"instructions":"${'x'.repeat(3_000)}"`, [expect.stringMatching(/^x{1,1999}…$/)]],
  ])('and greets with %.40s has its instructions told', async (greeting, expected) => {
    server.greeting = greeting;
    const { instructions } = await open();
    expect(instructions).toEqual(expected.map((one) => ({ name: 'odd', instructions: one })));
  });

  it('and has a limit of its own has it for each call, and more with progress', async () => {
    for (const [fields, limit] of [
      [{ timeout: 5_000 }, { ms: 5_000, maxMs: 60_000 }],
      [
        { timeoutMs: 6_000, timeout: 5_000 },
        { ms: 6_000, maxMs: 60_000 },
      ],
      [{ maxTimeoutMs: 90_000 }, { maxMs: 90_000 }],
    ]) {
      const turn = await open(fields);
      expect(turn.tools.map(({ timeLimit }) => timeLimit)).toEqual([limit]);
      await mcp.close();
    }
    const plain = await open();
    expect(plain.tools.map(({ timeLimit }) => timeLimit)).toEqual([{ maxMs: 60_000 }]);
  });

  it('and cannot be reached is named with its reason each time', async () => {
    const url = server.url;
    await server.close();
    mcp = await openTestMcp({ servers: { odd: { url } } });
    const reasonsOf = async () => (await turnOf(mcp)).problems.map(({ reason }) => reason);
    const reason = 'its connection failed (ECONNREFUSED); it is tried again in the background';
    expect(await reasonsOf()).toEqual([reason]);
    expect(await reasonsOf()).toEqual([reason]);
    server = await startScriptedMcp();
  });
});
