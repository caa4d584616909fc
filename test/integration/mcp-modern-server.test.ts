import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Server } from '@modelcontextprotocol/server';
import type { Mcp } from '../../src/tools/mcp/mcp.js';
import { expectSoon } from '../support/expect-soon.js';
import { callMcp, openTestMcp, turnOf } from '../support/mcp/open-test-mcp.js';
import { serveModernMcp, type ModernMcp } from '../support/mcp/serve-modern-mcp.js';

const region = { type: 'string', 'x-mcp-header': 'Region' };

describe('the official server of 2026-07-28', () => {
  let mcp: Mcp;
  let served: ModernMcp;
  let names: string[];
  let ended: string[];
  let regions: (string | null)[];

  function newServer(): Server {
    const capabilities = { tools: { listChanged: true } };
    const server = new Server({ name: 'modern', version: '1' }, { capabilities });
    server.setRequestHandler('tools/list', () => ({
      tools: names.map((name) => ({
        name,
        inputSchema: { type: 'object' as const, properties: { region } },
      })),
    }));
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      if (params.name !== 'hang') return { content: [{ type: 'text', text: 'done' }] };
      return new Promise<never>((_, reject) => {
        mcpReq.signal.addEventListener('abort', () => {
          ended.push('hang');
          reject(new Error('cancelled'));
        });
      });
    });
    return server;
  }

  beforeEach(async () => {
    names = ['now', 'hang'];
    ended = [];
    regions = [];
    served = await serveModernMcp(newServer, (headers) =>
      regions.push(headers.get('mcp-param-region')),
    );
    mcp = await openTestMcp({ servers: { new: { url: served.url } } });
  });
  afterEach(async () => {
    await mcp.close();
    await served.close();
  });

  it('has the fields in headers that its schema marks', async () => {
    const turn = await turnOf(mcp);
    expect(await callMcp(turn, 'mcp__new__now', { region: 'Zürich' })).toBe('done');
    expect(regions.at(-1)).toBe(`=?base64?${Buffer.from('Zürich').toString('base64')}?=`);
  });

  it('is told that a call is cancelled', async () => {
    const stop = new AbortController();
    const turn = await turnOf(mcp);
    const hung = callMcp(turn, 'mcp__new__hang', {}, { signal: stop.signal });
    stop.abort(new Error('the turn was stopped'));
    await expect(hung).rejects.toThrow('the turn was stopped');
    const again = new AbortController();
    const before = regions.length;
    const second = callMcp(turn, 'mcp__new__hang', {}, { signal: again.signal });
    await expectSoon(() => expect(regions.length).toBeGreaterThan(before));
    again.abort(new Error('the turn was stopped'));
    await expect(second).rejects.toThrow('the turn was stopped');
    await expectSoon(() => expect(ended).toContain('hang'));
  });

  it('says that its tools changed, and the next turn has the others', async () => {
    await turnOf(mcp);
    names = ['later'];
    await expectSoon(async () => {
      served.notify.toolsChanged();
      const { tools } = await turnOf(mcp);
      expect(tools.map(({ name }) => name)).toEqual(['mcp__new__later']);
    });
  });
});
