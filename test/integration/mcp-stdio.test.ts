import { testTurn } from '../support/tools/test-turn.js';
import { execFile } from 'node:child_process';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import { callMcp, openTestMcp, stdioServer, turnOf } from '../support/mcp/open-test-mcp.js';
import { ManualClock } from '../support/manual-clock.js';
import { expectSoon } from '../support/expect-soon.js';
import { countProcesses, untilProcesses } from '../support/processes/find-processes.js';
import { systemClock } from '../../src/platform/clock.js';
import { ToolFailure } from '../../src/tools/tool.js';
import { runTool } from '../../src/tools/calls/run-tool.js';
import type { Mcp } from '../../src/tools/mcp/mcp.js';

const run = promisify(execFile);

describe('an MCP server that is a command', () => {
  const opened: Mcp[] = [];
  afterEach(async () => {
    for (const mcp of opened.splice(0)) await mcp.close();
  });
  async function open(...[options]: Parameters<typeof openTestMcp>): Promise<Mcp> {
    const mcp = await openTestMcp(options);
    opened.push(mcp);
    return mcp;
  }
  const plain = { servers: { box: stdioServer() } };

  it('has its tools under its own name, from every page of the list', async () => {
    const { tools, problems } = await turnOf(await open(plain));
    expect(problems).toEqual([]);
    expect(tools.map(({ name }) => name)).toContain('mcp__box__echo');
    expect(tools).toHaveLength(14);
    expect(tools[0]).toMatchObject({ description: 'does echo', effect: 'command', retry: 'never' });
  });

  it('answers', async () => {
    const turn = await turnOf(await open(plain));
    expect(await callMcp(turn, 'mcp__box__echo', { text: 'hello' })).toBe('hello');
    expect(await callMcp(turn, 'mcp__box__image')).toBe('seen\n[file: image/png, 300 bytes]');
    expect(await callMcp(turn, 'mcp__box__structured')).toBe('{"answer":42}');
  });

  it('is believed about its tools only where the operator says so', async () => {
    const box = stdioServer('plain', { trustAnnotations: true });
    const turn = await turnOf(await open({ servers: { box } }));
    const traits = turn.tools.map(({ name, effect, retry }) => `${name} ${effect} ${retry}`);
    expect(traits).toContain('mcp__box__pid read safe');
    expect(traits).toContain('mcp__box__echo command idempotent');
    expect(traits).toContain('mcp__box__die command never');
    expect(await callMcp(turn, 'mcp__box__echo', { text: 'key: ' })).toBe('key: turn_1:call_1');
  });

  it('says why a call failed', async () => {
    const turn = await turnOf(await open(plain));
    await expect(callMcp(turn, 'mcp__box__fails')).rejects.toThrow('the disk is full');
    await expect(callMcp(turn, 'mcp__box__refuses')).rejects.toThrow(
      'The MCP server box refused the call: it answered: no such thing',
    );
    await expect(callMcp(turn, 'mcp__box__fails')).rejects.toBeInstanceOf(ToolFailure);
  });

  it('reports progress', async () => {
    const notes: string[] = [];
    const turn = await turnOf(await open(plain));
    const progress = (note: string): number => notes.push(note);
    expect(await callMcp(turn, 'mcp__box__slow', {}, { progress })).toBe('done');
    expect(notes).toEqual(['half way (1/2)']);
  });

  it('that hangs is left at once when the call is aborted, and goes on to serve', async () => {
    const turn = await turnOf(await open(plain));
    const stop = new AbortController();
    const call = callMcp(turn, 'mcp__box__hang', {}, { signal: stop.signal });
    stop.abort(new Error('the turn ended'));
    await expect(call).rejects.toThrow('the turn ended');
    expect(await callMcp(turn, 'mcp__box__echo', { text: 'still here' })).toBe('still here');
  });

  it('that hangs is a tool error once the call is out of time', async () => {
    const { tools } = await turnOf(await open(plain));
    const tool = tools.find(({ name }) => name === 'mcp__box__hang');
    if (tool === undefined) throw new Error('no tool');
    const outcome = await runTool(
      { ...tool, ...tool.open({ turn: testTurn, workdir: '/' }) },
      {},
      {
        callId: 'call_1',
        idempotencyKey: 'turn_1:call_1',
        signal: new AbortController().signal,
        timeoutMs: 200,
        outputLimit: 1_000,
        clock: systemClock,
        progress: () => undefined,
      },
    );
    expect(outcome).toMatchObject({
      status: 'error',
      output: expect.stringContaining('timed out'),
    });
  });

  it('that dies is a tool error, and is started again by the next call', async () => {
    const turn = await turnOf(await open(plain));
    const before = await callMcp(turn, 'mcp__box__pid');
    await expect(callMcp(turn, 'mcp__box__die')).rejects.toThrow(
      'The MCP server box failed: it ended, or its connection did, before it answered. The call may have done part of its work. The next call starts it again.',
    );
    expect(await callMcp(turn, 'mcp__box__pid')).not.toBe(before);
  });

  it('that keeps dying is not started again at once', async () => {
    const turn = await turnOf(await open({ ...plain, clock: new ManualClock() }));
    await expect(callMcp(turn, 'mcp__box__die')).rejects.toThrow('it ended');
    await expect(callMcp(turn, 'mcp__box__die')).rejects.toThrow('it ended');
    await expect(callMcp(turn, 'mcp__box__pid')).rejects.toThrow(
      'The MCP server box is not there: it failed before (it ended), and is tried again in 1 s',
    );
  });

  it('may print what is no message', async () => {
    const turn = await turnOf(await open(plain));
    expect(await callMcp(turn, 'mcp__box__garbage')).toBe('after the garbage');
  });

  it('that breaks the protocol in its answer is a tool error at once', async () => {
    const box = stdioServer('odd answers');
    const turn = await turnOf(await open({ servers: { box } }));
    await expect(callMcp(turn, 'mcp__box__odd-error')).rejects.toThrow(
      'The MCP server box refused the call: it answered: the disk is full',
    );
    await expect(callMcp(turn, 'mcp__box__odd-result')).rejects.toThrow(
      'it answered: the answer is no message of JSON-RPC: "fine"',
    );
    expect(await callMcp(turn, 'mcp__box__echo', { text: 'again' })).toBe('again');
  });

  it('that floods its output is ended, and its memory stays its own', async () => {
    const turn = await turnOf(await open(plain));
    const before = process.memoryUsage().rss;
    await expect(callMcp(turn, 'mcp__box__flood')).rejects.toThrow(
      'it sent more than 8388608 bytes in one message',
    );
    expect(process.memoryUsage().rss - before).toBeLessThan(90 * 1024 * 1024);
    expect(await callMcp(turn, 'mcp__box__echo', { text: 'again' })).toBe('again');
  });

  it('is killed with all it started', async () => {
    const mcp = await open(plain);
    const turn = await turnOf(mcp);
    const child = Number(await callMcp(turn, 'mcp__box__child'));
    const watcher = `mcp-watcher ${await callMcp(turn, 'mcp__box__pid')}`;
    expect(await isAlive(child)).toBe(true);
    expect(await countProcesses(watcher)).toBe(1);
    await mcp.close();
    await untilProcesses(watcher, 0);
    // The signal is sent, and the kernel delivers it in its own time.
    while (await isAlive(child)) await yieldToEventLoop();
  });

  it('sees PATH, HOME, LANG and what its definition says, and nothing of ours', async () => {
    const environment = {
      PATH: process.env['PATH'],
      HOME: '/home/x',
      USER: 'x',
      ANTHROPIC_API_KEY: 'sk-ant-12345678',
      DATABASE_URL: 'postgres://u:p@h/d',
      GITHUB_TOKEN: 'ghp_0123456789',
    };
    const box = stdioServer('plain', { env: { MODE: 'test', GH: '${GITHUB_TOKEN}' } });
    const turn = await turnOf(await open({ servers: { box }, environment }));
    const seen = JSON.parse(await callMcp(turn, 'mcp__box__env')) as Record<string, string>;
    expect(Object.keys(seen).sort()).toEqual(['GH', 'HOME', 'MODE', 'PATH']);
  });

  it('that does not come up is a problem, and the others are there', async () => {
    const servers = {
      gone: { command: '/no/such/command' },
      folder: { command: 'node', cwd: '/no/such/folder' },
      line: { command: 'npx -y a' },
      ends: stdioServer('ends'),
      box: stdioServer(),
    };
    const { tools, problems } = await turnOf(await open({ servers }));
    expect(problems).toEqual([
      {
        server: 'gone',
        reason: 'its command "…/command" was not found; it is tried again in the background',
      },
      {
        server: 'folder',
        reason:
          'the folder it runs in, "…/folder", was not found (cwd); it is tried again in the background',
      },
      {
        server: 'line',
        reason:
          'its command "npx -y a" was not found; arguments belong in its args; it is tried again in the background',
      },
      {
        server: 'ends',
        reason:
          'it ended, or its connection did, before it answered; it is tried again in the background',
      },
    ]);
    expect(tools).toHaveLength(14);
  });

  it('that says nothing is a problem, and is not asked again at once', async () => {
    const servers = { silent: stdioServer('silent') };
    const clock = new ManualClock();
    const mcp = await open({ servers, settings: { mcpConnectMs: 500 }, clock });
    const first = turnOf(mcp);
    await expectSoon(() => expect(clock.pending).toBeGreaterThan(0));
    await clock.advance(500);
    const problem = {
      server: 'silent',
      reason: 'it did not answer within 500 ms; it is tried again in the background',
    };
    expect((await first).problems).toEqual([problem]);
    expect((await turnOf(mcp)).problems).toEqual([problem]);
  });

  it('offers the first of two tools of one name, and says so', async () => {
    const { tools, problems } = await turnOf(
      await open({ servers: { box: stdioServer('twice') } }),
    );
    expect(tools.map(({ name, description }) => `${name}: ${description}`)).toEqual([
      'mcp__box__echo: the first',
      expect.stringMatching(/^mcp__box__a_b_[0-9a-f]{8}: the first$/),
    ]);
    expect(problems.map(({ server, reason }) => `${server}: ${reason}`)).toEqual([
      'box: its tool "echo" is left out: it is listed twice, and the first is offered',
      expect.stringMatching(
        /^box: a second tool would be called mcp__box__a_b_\w+: it is left out$/,
      ),
    ]);
  });

  it('whose list has no end is asked for no page twice', async () => {
    const box = stdioServer('circle');
    const { tools, problems } = await turnOf(await open({ servers: { box } }));
    expect(tools.map(({ name }) => name)).toEqual(['mcp__box__one']);
    expect(problems).toEqual([]);
  });

  it('offers what can be offered of odd tools', async () => {
    const { tools, problems } = await turnOf(await open({ servers: { odd: stdioServer('odd') } }));
    expect(tools.map(({ name }) => name)).toEqual([
      'mcp__odd__fine',
      expect.stringMatching(/^mcp__odd__a_name_with_spaces_[0-9a-f]{8}$/),
    ]);
    expect(problems.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(
        /^its tool "broken" is left out: its input schema is not valid: .*type/,
      ),
      'its tool "large" is left out: its input schema has more than 65536 characters',
    ]);
  });

  it('offers 200 tools of a server with more, and says so', async () => {
    const { tools, problems } = await turnOf(
      await open({ servers: { many: stdioServer('many') } }),
    );
    expect(tools).toHaveLength(200);
    expect(problems).toEqual([
      { server: 'many', reason: 'it has more than 200 tools; only the first 200 are offered' },
    ]);
  });
});

/** A process that was killed is a zombie until somebody asks for it. */
async function isAlive(pid: number): Promise<boolean> {
  const state = await run('ps', ['-o', 'stat=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return !/^(Z.*)?$/.test(state.stdout.trim());
}
