import { afterEach, describe, expect, it } from '@jest/globals';
import { inspect } from 'node:util';
import {
  callMcp,
  openTestMcp,
  stdioServer,
  turnOf,
  type TestMcpOptions,
} from '../support/mcp/open-test-mcp.js';
import { ManualClock } from '../support/manual-clock.js';
import { createLogger } from '../../src/platform/logger.js';
import type { OpenedServers } from '../../src/tools/mcp/mcp.js';
import type { Mcp } from '../../src/tools/mcp/mcp.js';

const token = 'tok-session-0123456789';

describe('connections to MCP servers', () => {
  const opened: Mcp[] = [];
  afterEach(async () => {
    for (const mcp of opened.splice(0)) await mcp.close();
  });
  async function open(options: TestMcpOptions): Promise<Mcp> {
    const mcp = await openTestMcp(options);
    opened.push(mcp);
    return mcp;
  }
  const pid = (turn: OpenedServers): Promise<string> => callMcp(turn, 'mcp__box__pid');
  const shared = { servers: { box: stdioServer('plain', { sessionEnv: ['TOKEN'] }) } };

  it('are shared by turns, also of several sessions', async () => {
    const mcp = await open(shared);
    const first = await turnOf(mcp);
    const [one, two] = [await pid(first), await pid(await turnOf(mcp, { id: 'sess_2' }))];
    expect(two).toBe(one);
    await first.close();
    expect(await pid(await turnOf(mcp))).toBe(one);
  });

  it('are of one session where the server keeps state', async () => {
    const box = stdioServer('plain', { perSession: true });
    const mcp = await open({ servers: { box } });
    const one = await pid(await turnOf(mcp));
    expect(await pid(await turnOf(mcp, { id: 'sess_2' }))).not.toBe(one);
    expect(await pid(await turnOf(mcp))).toBe(one);
  });

  it('are of one session where it brought credentials, also the same ones', async () => {
    const mcp = await open(shared);
    const mcpServers = { box: { env: { TOKEN: token } } };
    const pids = [
      await pid(await turnOf(mcp)),
      await pid(await turnOf(mcp, { mcpServers })),
      await pid(await turnOf(mcp, { id: 'sess_2', mcpServers })),
      await pid(await turnOf(mcp, { mcpServers: { box: { env: { TOKEN: `${token}-2` } } } })),
    ];
    expect(new Set(pids).size).toBe(4);
  });

  it('end when no turn had them for a while, and not before', async () => {
    const clock = new ManualClock();
    const mcp = await open({ ...shared, clock, bounds: { idleMs: 1_000 } });
    const first = await turnOf(mcp);
    const before = await pid(first);
    await clock.advance(5_000);
    expect(await pid(first)).toBe(before);
    await first.close();
    await clock.advance(900);
    const second = await turnOf(mcp);
    expect(await pid(second)).toBe(before);
    await second.close();
    await clock.advance(1_100);
    expect(await pid(await turnOf(mcp))).not.toBe(before);
  });

  it('are no more than there may be: idle ones go, used ones stay', async () => {
    const servers = { a: stdioServer(), b: stdioServer() };
    const mcp = await open({ servers, bounds: { connections: 1 } });
    const agent = (name: string) => ({ named: [name], own: {} });
    const session = { id: 'sess_1', mcpServers: null };
    const { signal } = new AbortController();
    const first = await mcp.openForTurn({ agent: agent('a'), session, signal });
    const refused = await mcp.openForTurn({ agent: agent('b'), session, signal });
    expect(refused.problems[0]?.reason).toContain('too many MCP servers are in use');
    await first.close();
    const second = await mcp.openForTurn({ agent: agent('b'), session, signal });
    expect(second.problems).toEqual([]);
    expect(second.tools).toHaveLength(14);
  });

  it('are let go when the turn is aborted while they open', async () => {
    const mcp = await open({ servers: { box: stdioServer('silent') } });
    const stop = new AbortController();
    const opening = turnOf(mcp, { signal: stop.signal });
    stop.abort(new Error('the turn ended'));
    await expect(opening).rejects.toThrow('the turn ended');
  });

  it('never tell the credentials of a session', async () => {
    const lines: string[] = [];
    const logger = createLogger({
      level: 'debug',
      readable: false,
      redact: (line) => line,
      destination: { write: (line) => lines.push(line) },
    });
    const mcp = await open({ ...shared, logger });
    const turn = await turnOf(mcp, { mcpServers: { box: { env: { TOKEN: token } } } });
    const failed: unknown = await callMcp(turn, 'mcp__box__secret').catch(
      (error: unknown) => error,
    );
    expect(failed).toMatchObject({ message: 'the token is [REDACTED_API_KEY]' });
    expect(await callMcp(turn, 'mcp__box__env')).toContain('"TOKEN":"[REDACTED_API_KEY]"');
    await callMcp(turn, 'mcp__box__die').catch(() => undefined);
    expect(lines.join('')).toContain('started with [REDACTED_API_KEY]');
    for (const shown of [lines.join(''), inspect(failed), inspect(turn, { depth: 9 })]) {
      expect(shown).not.toContain(token);
    }
  });
});
