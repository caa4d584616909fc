import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { pixel } from '../../support/files/made-files.js';
import { startScriptedMcp, toolEntry, type Asked } from '../../support/mcp/start-scripted-mcp.js';
import { useServer } from '../../support/processes/start-server.js';
import { newFolder, useShared } from '../../support/suite.js';

const greet = {
  name: 'greet',
  description: 'Greets somebody.',
  arguments: [{ name: 'who', required: true }, { name: 'how' }],
};

describe.each(['legacy', '2026-07-28'])(
  'resources and prompts of a server of the era %s',
  (era) => {
    const mcp = useShared(startScriptedMcp);
    let texts: (asked: Asked) => string;
    const server = useServer(async () => {
      mcp.tools = [toolEntry('find')];
      const link = { type: 'resource_link', name: 'one', uri: 'demo:///1', mimeType: 'text/plain' };
      mcp.results['find'] = JSON.stringify({ content: [link] });
      if (era !== 'legacy') {
        mcp.modern = {
          'server/discover':
            '{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"resources":{},"prompts":{}}}',
          'tools/list': `{"tools":[${mcp.tools.join()}]}`,
          'tools/call': mcp.results['find'],
        };
      }
      mcp.others = {
        'resources/list': () => '{"resources":[{"uri":"demo:///1","name":"one"}]}',
        'resources/templates/list': () => '{"resourceTemplates":[]}',
        'resources/read': ({ params }) =>
          params?.uri === 'demo:///picture'
            ? `{"contents":[{"uri":"demo:///p.png","mimeType":"image/png","blob":"${pixel}"}]}`
            : '{"contents":[{"uri":"demo:///1","text":"what it says"}]}',
        'prompts/list': ({ params }) =>
          params?.cursor === undefined
            ? `{"prompts":[${JSON.stringify(greet)}],"nextCursor":""}`
            : '{"prompts":[{"name":"plain"},{"odd":1}]}',
        'prompts/get': (asked) => texts(asked),
      };
      const folder = newFolder();
      const at = (name: string): string => path.join(folder, name);
      const box = { url: mcp.url, protocol: era };
      await writeFile(at('mcp.json'), JSON.stringify({ mcpServers: { box } }));
      await writeFile(at('rules.yaml'), 'allow: ["mcp__box__*"]\n');
      return {
        environment: {
          TURNPIKE_MCP_FILE: at('mcp.json'),
          TURNPIKE_PERMISSIONS_FILE: at('rules.yaml'),
        },
      };
    });
    beforeEach(() => {
      mcp.bodies.length = 0;
      texts = ({ params }) => {
        const { who = 'nobody' } = params?.arguments ?? {};
        const said = {
          role: 'user',
          content: { type: 'text', text: `Say hello to ${String(who)}.` },
        };
        return JSON.stringify({
          messages: [said, { role: 'assistant', content: { type: 'hologram' } }],
        });
      };
    });

    const asked = () => server.modelRequests.at(-1)?.body;
    const begin = () => server.client.createSession(server.projectRoot);

    async function run(sessionId: string, message: string, opts: object = {}) {
      const stream = await server.client.turn(sessionId, message, { opts });
      const frames = await stream.all();
      const of = (event: string) => frames.find((one) => one.event === event)?.data;
      return { of, turnId: stream.header('x-turn-id'), text: JSON.stringify(frames) };
    }

    it('has a link that a tool gave read, and a picture as a file, with a prefix that stays as it is', async () => {
      const sessionId = await begin();
      const found = await run(sessionId, '[[tool=mcp__box__find {}]]');
      expect(found.of('tool:result')?.['output']).toContain('mcp_resources reads it from box');
      const first = JSON.stringify([asked()?.system, asked()?.tools]);
      expect(first).toContain('"mcp_resources"');
      const read = await run(
        sessionId,
        '[[tool=mcp_resources {"server":"box","uri":"demo:///1"}]]',
      );
      expect(read.of('tool:result')).toMatchObject({
        ok: true,
        output: expect.stringContaining('what it says'),
      });
      const seen = await run(
        sessionId,
        '[[tool=mcp_resources {"server":"box","uri":"demo:///picture"}]]',
      );
      expect(seen.of('tool:result')?.['files']).toMatchObject([
        { name: 'p.png', mimeType: 'image/png' },
      ]);
      expect(JSON.stringify(asked()?.messages)).toContain('"media_type":"image/png"');
      const listed = await run(sessionId, '[[tool=mcp_resources {"server":"box"}]]');
      expect(listed.of('tool:result')?.['output']).toBe('Resources of box:\n- demo:///1: one');
      expect(JSON.stringify([asked()?.system, asked()?.tools])).toBe(first);
    });

    it('offers no tool for resources where a rule denies it, or the turn lists others', async () => {
      await run(await begin(), 'Hello', { tools: ['read'] });
      expect(asked()?.tools?.map(({ name }) => name)).toEqual(['read']);
    });

    it('lists its prompts, page by page', async () => {
      const { body } = await server.client.get(`/api/harness/sessions/${await begin()}/prompts`);
      const plain = { server: 'box', title: null, description: null, arguments: [] };
      expect(body).toEqual({
        prompts: [
          {
            ...plain,
            name: 'greet',
            description: 'Greets somebody.',
            arguments: [
              { name: 'who', description: null, required: true },
              { name: 'how', description: null, required: false },
            ],
          },
          { ...plain, name: 'plain' },
        ],
        problems: [],
      });
    });

    it('gives a message the text of a prompt once, as text of the server, before the first model call', async () => {
      const sessionId = await begin();
      const prompt = { server: 'box', name: 'greet', arguments: { who: 'Ann' } };
      const { of, turnId } = await run(sessionId, '/greet', { prompt });
      const text =
        'The prompt greet of the MCP server box:\n\nSay hello to Ann.\n\nAssistant: [hologram]';
      expect(JSON.stringify(asked()?.messages)).toContain(JSON.stringify(text).slice(1, -1));
      expect(of('system:notice')).toMatchObject({ kind: 'mcp-prompt', seenByModel: false });
      const { body } = await server.client.get(`/api/harness/sessions/${sessionId}/messages`);
      const [message] = body['messages'] as { turnId: string; parts: unknown[] }[];
      expect(message).toMatchObject({
        turnId,
        parts: [
          { type: 'text', text: '/greet' },
          { type: 'text', text },
        ],
      });
      const before = JSON.stringify(asked()?.messages[0]);
      await run(sessionId, 'And now?');
      expect(JSON.stringify(asked()?.messages[0])).toBe(before);
      expect(mcp.bodies.filter((one) => one.includes('prompts/get'))).toHaveLength(1);
    });

    it.each<[string, object, RegExp]>([
      ['server', { server: 'bin', name: 'greet' }, /no MCP server bin .*; box do/],
      ['prompt', { server: 'box', name: 'gret' }, /no prompt of that name; it has greet, plain/],
      [
        'argument',
        { server: 'box', name: 'greet', arguments: { who: 'a', x: '1' } },
        /no argument x; it takes who, how/,
      ],
      ['value', { server: 'box', name: 'greet' }, /it needs who/],
    ])(
      'fails the turn where there is no such %s, and names those there are',
      async (_what, prompt, why) => {
        const calls = server.modelRequests.length;
        const { of } = await run(await begin(), '/greet', { prompt });
        expect(of('turn:error')).toMatchObject({
          errorType: 'MCP_PROMPT_FAILURE',
          message: expect.stringMatching(why),
        });
        expect(server.modelRequests).toHaveLength(calls);
      },
    );

    it('fails the turn with what the server says of the prompt, or that it is empty', async () => {
      const prompt = { server: 'box', name: 'plain' };
      texts = () => '{"messages":[{"role":"user","content":{"type":"text","text":""}}]}';
      const { of } = await run(await begin(), '/plain', { prompt });
      expect(of('turn:error')?.['message']).toContain('its server gave no text');
    });

    it('ignores an option of another shape, with a notice', async () => {
      const { of } = await run(await begin(), 'Hello', { prompt: { server: 7 } });
      expect(JSON.stringify(of('system:notice'))).toContain('opts.prompt ignored');
    });
  },
);
