import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Mcp, OpenedServers } from '../../src/tools/mcp/mcp.js';
import { pixel } from '../support/files/made-files.js';
import { callMcp, openTestMcp, turnOf } from '../support/mcp/open-test-mcp.js';
import {
  startScriptedMcp,
  toolEntry,
  type Asked,
  type ScriptedMcp,
} from '../support/mcp/start-scripted-mcp.js';

const signal = new AbortController().signal;

describe.each(['legacy', '2026-07-28'])('resources of a server of the era %s', (protocol) => {
  let server: ScriptedMcp;
  let mcp: Mcp;
  beforeEach(async () => {
    server = await startScriptedMcp();
    server.tools = [toolEntry('find')];
    const modern = {
      'server/discover':
        '{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"resources":{}}}',
      'tools/list': `{"tools":[${toolEntry('find')}]}`,
      'tools/call': '{"content":[{"type":"resource_link","name":"one","uri":"demo:///1"}]}',
    };
    server.results['find'] = modern['tools/call'];
    if (protocol !== 'legacy') server.modern = modern;
    server.others = {
      'resources/list': ({ params }) =>
        params?.cursor === undefined
          ? '{"resources":[{"uri":"demo:///1","name":"one","mimeType":"text/plain","size":3},{"name":"lost"}],"nextCursor":""}'
          : '{"resources":[{"uri":"demo:///2","title":"Two\\n","name":"two","description":"The second"}]}',
      'resources/templates/list': ({ params }) =>
        `{"resourceTemplates":[{"uriTemplate":"demo:///{id}","name":"any"}],"nextCursor":"${params?.cursor ?? 'loop'}"}`,
      'resources/read': read,
    };
    mcp = await openTestMcp({ servers: { box: { url: server.url, protocol } } });
  });
  afterEach(async () => {
    await mcp.close();
    await server.close();
  });

  function read({ params }: Asked): string {
    if (params?.uri === 'demo:///picture') {
      return `{"contents":[{"uri":"demo:///picture.jpg","mimeType":"image/jpeg","blob":"${pixel}"}]}`;
    }
    return `{"contents":[{"uri":"${params?.uri ?? ''}","text":"the text"},{"odd":true}]}`;
  }

  const resourcesOf = ({ resources }: OpenedServers) => {
    if (resources === undefined) throw new Error('The turn has no resources');
    return resources;
  };

  it('are listed page by page, where an empty cursor is one and a page that follows itself is the last', async () => {
    const resources = resourcesOf(await turnOf(mcp));
    const first = await resources.list({ server: 'box' }, { callId: 'call_1', signal });
    expect(first).toBe(
      'Resources of box:\n- demo:///1: one, text/plain, 3 bytes\nThere are more: call again with the cursor "r:".',
    );
    const second = await resources.list(
      { server: 'box', cursor: 'r:' },
      { callId: 'call_1', signal },
    );
    expect(second).toContain('- demo:///2: Two , The second');
    expect(second).toContain(
      '- demo:///{id}: any\nThere are more: call again with the cursor "t:loop".',
    );
    const third = await resources.list(
      { server: 'box', cursor: 't:loop' },
      { callId: 'call_1', signal },
    );
    expect(third).not.toContain('There are more');
    await expect(
      resources.list({ server: 'box', cursor: 'x' }, { callId: 'call_1', signal }),
    ).rejects.toThrow('x is no cursor');
  });

  it('are read as text and as files, also by a link in a result', async () => {
    const turn = await turnOf(mcp);
    const link = await callMcp(turn, 'mcp__box__find');
    expect(link).toBe('[resource one: demo:///1; mcp_resources reads it from box]');
    const resources = resourcesOf(turn);
    expect(
      await resources.read({ server: 'box', uri: 'demo:///1' }, { callId: 'call_1', signal }),
    ).toEqual([
      { type: 'text', text: '[resource: demo:///1]\nthe text' },
      { type: 'text', text: '[resource: unknown, unknown]' },
    ]);
    const [picture] = await resources.read(
      { server: 'box', uri: 'demo:///picture' },
      { callId: 'call_1', signal },
    );
    expect(picture).toMatchObject({ type: 'file', name: 'picture.jpg', mimeType: 'image/jpeg' });
  });

  it('are read again where the session was lost', async () => {
    const resources = resourcesOf(await turnOf(mcp));
    server.forget();
    expect(await resources.list({ server: 'box' }, { callId: 'call_1', signal })).toContain(
      'demo:///1',
    );
  });

  it('name the servers there are where the model names another', async () => {
    const resources = resourcesOf(await turnOf(mcp));
    await expect(resources.list({ server: 'bin' }, { callId: 'call_1', signal })).rejects.toThrow(
      'bin is no server with resources. Servers with resources: box.',
    );
  });

  it('fail with what the server says', async () => {
    server.others['resources/read'] = () => '{"contents":7}';
    const resources = resourcesOf(await turnOf(mcp));
    expect(
      await resources.read({ server: 'box', uri: 'demo:///1' }, { callId: 'call_1', signal }),
    ).toEqual([{ type: 'text', text: '[the resource is empty]' }]);
  });

  it('are none where no server has any', async () => {
    server.others = {};
    if (server.modern !== undefined) {
      server.modern['server/discover'] =
        '{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}';
    }
    const turn = await turnOf(mcp);
    expect(turn.resources).toBeUndefined();
    expect(await callMcp(turn, 'mcp__box__find')).toBe('[resource one: demo:///1]');
  });
});
