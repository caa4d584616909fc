import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Mcp } from '../../src/tools/mcp/mcp.js';
import { callMcp, openTestMcp, stdioServer, turnOf } from '../support/mcp/open-test-mcp.js';
import {
  startScriptedMcp,
  textResult,
  toolEntry,
  type ScriptedMcp,
} from '../support/mcp/start-scripted-mcp.js';

const versions = '"supportedVersions":["2026-07-28"]';

describe('an MCP server of either era', () => {
  let server: ScriptedMcp;
  let mcp: Mcp;
  beforeEach(async () => {
    server = await startScriptedMcp();
  });
  afterEach(async () => {
    await mcp.close();
    await server.close();
  });

  async function open(more: object = {}) {
    mcp = await openTestMcp({ servers: { odd: { url: server.url, ...more } } });
    return turnOf(mcp);
  }
  const asked = (method: string): number => server.methods.filter((one) => one === method).length;

  /** The newer era, with all that it wants of a result and `more`. */
  function answerModern(tools: string[], call: string, more = ''): void {
    server.modern = {
      'server/discover': `{${versions},"resultType":"complete","ttlMs":0,"cacheScope":"private","capabilities":{"tools":{}}${more}}`,
      'tools/list': `{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[${tools.join()}]}`,
      'tools/call': call,
    };
  }

  it('is spoken to in the newer one where it knows that', async () => {
    answerModern(
      [toolEntry('now')],
      `{"resultType":"complete",${textResult('done').slice(1)}`,
      ',"instructions":"Call now first."',
    );
    const turn = await open();
    expect(await callMcp(turn, 'mcp__odd__now')).toBe('done');
    expect(turn.instructions).toEqual([{ name: 'odd', instructions: 'Call now first.' }]);
    expect(server.methods).toEqual(['server/discover', 'tools/list', 'tools/call']);
  });

  it('loses in the newer one what is odd, and nothing else', async () => {
    answerModern([], '');
    server.modern = {
      'server/discover': `{${versions},"capabilities":{"tools":{}}}`,
      'tools/list': `{"tools":[${[
        toolEntry('now', { outputSchema: { type: 'nothing' } }),
        '{"name":"untyped","inputSchema":{"properties":{"a":{"type":"integer"}}}}',
        '{"name":"choice","inputSchema":{"allOf":[{"type":"object","properties":{"b":{}}}]}}',
        '{"name":"wrong","inputSchema":{"type":"object","properties":{"a":{"type":"nothing"}}}}',
        '{"name":7}',
        '{"name":"header","inputSchema":{"type":"object","properties":{"a":{"type":"object","x-mcp-header":"A"}}}}',
      ].join()}]}`,
      'tools/call':
        '{"content":[{"type":"hologram"},{"type":"text","text":"seen"}],"structuredContent":{"id":2512292042121000001}}',
    };
    const turn = await open();
    expect(turn.tools.map(({ name }) => name)).toEqual([
      'mcp__odd__now',
      'mcp__odd__untyped',
      'mcp__odd__choice',
    ]);
    expect(turn.problems.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('its tool "wrong" is left out: its input schema is not valid'),
      'its tool without a name is left out: it has no name',
      'its tool "header" is left out: its x-mcp-header is not at a text, an integer or a flag, or is no header\'s name',
    ]);
    expect(await callMcp(turn, 'mcp__odd__now')).toBe(
      '[hologram]\nseen\n{"id":2512292042121000001}',
    );
  });

  it('follows an empty cursor, which is one', async () => {
    answerModern([], '');
    const pages = ['{"tools":[{"name":"a"}],"nextCursor":""}', '{"tools":[{"name":"b"}]}'];
    Object.defineProperty(server.modern, 'tools/list', { get: () => pages.shift() });
    const turn = await open();
    expect(turn.tools.map(({ name }) => name)).toEqual(['mcp__odd__a', 'mcp__odd__b']);
    expect(server.bodies.at(-1)).toContain('"cursor":""');
  });

  it('that asks again and again is given up', async () => {
    answerModern(
      [toolEntry('now')],
      '{"resultType":"input_required","inputRequests":{},"requestState":"x"}',
    );
    const turn = await open();
    await expect(callMcp(turn, 'mcp__odd__now')).rejects.toThrow(
      'odd has asked for more in 10 rounds, which is as often as it may',
    );
    expect(asked('tools/call')).toBe(11);
  });

  it('that runs a call as a task says so', async () => {
    answerModern([toolEntry('now')], '{"resultType":"task","task":{}}');
    const turn = await open();
    await expect(callMcp(turn, 'mcp__odd__now')).rejects.toThrow(
      'it runs the call as a task, which is not supported',
    );
  });

  it.each([400, 401, 403, 404, 405, 500, 503])(
    'answers the question for its versions by %i, and is asked once',
    async (status) => {
      server.tools = [toolEntry('now')];
      server.probeStatus = status;
      const turn = await open({ perSession: true });
      expect(await callMcp(turn, 'mcp__odd__now')).toBe('done');
      const other = await turnOf(mcp, { id: 'sess_2' });
      expect(await callMcp(other, 'mcp__odd__now')).toBe('done');
      expect([asked('server/discover'), asked('initialize')]).toEqual([1, 2]);
    },
  );

  it('that knew the older one alone is asked again once that fails', async () => {
    server.tools = [toolEntry('now')];
    await open({ perSession: true });
    answerModern([toolEntry('later')], `{"resultType":"complete",${textResult('done').slice(1)}`);
    const turn = await turnOf(mcp, { id: 'sess_2' });
    expect(await callMcp(turn, 'mcp__odd__later')).toBe('done');
  });

  it('that ends by the question for its versions is started again without it', async () => {
    mcp = await openTestMcp({
      servers: { odd: stdioServer('exits on a probe', { perSession: true }) },
    });
    for (const id of ['sess_1', 'sess_2']) {
      const turn = await turnOf(mcp, { id });
      expect(await callMcp(turn, 'mcp__odd__echo', { text: 'here' })).toBe('here');
    }
  });

  it('is spoken to as its definition says', async () => {
    server.tools = [toolEntry('now')];
    expect((await open({ protocol: 'legacy' })).tools).toHaveLength(1);
    expect(asked('server/discover')).toBe(0);
    await mcp.close();
    const { tools, problems } = await open({ protocol: '2026-07-28' });
    expect(tools).toEqual([]);
    expect(problems.map(({ reason }) => reason)).toEqual([
      'it does not speak the version of the protocol that its definition names (protocol)',
    ]);
  });
});
