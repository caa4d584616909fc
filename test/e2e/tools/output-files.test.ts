import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { HttpAgent } from '@ag-ui/client';
import { describe, expect, it } from '@jest/globals';
import { desc } from 'drizzle-orm';
import OpenAI from 'openai';
import { LOCAL_USER } from '../../../src/access/principal.js';
import { StoredFiles } from '../../../src/attachments/stored-files.js';
import { turns } from '../../../src/storage/schema.js';
import { HeadlessChat } from '../../support/clients/headless-chat.js';
import { bomb, pixel as png, silence as wav } from '../../support/files/made-files.js';
import { startScriptedMcp, toolEntry } from '../../support/mcp/start-scripted-mcp.js';
import { useServer } from '../../support/processes/start-server.js';
import { newFolder, useShared } from '../../support/suite.js';

const gzip = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]).toString('base64');
const noise = Buffer.from(Array.from({ length: 64 }, (_, at) => (at * 37) % 256)).toString(
  'base64',
);

const audio = (data: string, mimeType: string) => ({ type: 'audio', data, mimeType });
const image = (data: string, mimeType: string) => ({ type: 'image', data, mimeType });
const blob = (uri: string, data: string, mimeType: string) => ({
  type: 'resource',
  resource: { uri, blob: data, mimeType },
});

/** Results of tools, and of each block the file that comes of it, and whether only people see it. */
const results: Record<string, { block: object; name: string; type: string; isUnseen?: true }> = {
  picture: { block: image(png, 'image/png'), name: 'file.png', type: 'image/png' },
  misnamed: { block: image(png, 'image/jpeg'), name: 'file.png', type: 'image/png' },
  speech: { block: audio(wav, 'audio/wav'), name: 'file.wav', type: 'audio/wav', isUnseen: true },
  pretended: {
    block: image(wav, 'image/png'),
    name: 'file.wav',
    type: 'audio/wav',
    isUnseen: true,
  },
  archive: {
    block: blob('file:///a/b.gz', gzip, 'text/plain'),
    name: 'b.gz',
    type: 'application/gzip',
    isUnseen: true,
  },
  samples: {
    block: audio(noise, 'audio/L16'),
    name: 'file.l16',
    type: 'audio/l16',
    isUnseen: true,
  },
  unknown: {
    block: blob('demo:///noise', noise, 'image/png'),
    name: 'noise',
    type: 'application/octet-stream',
    isUnseen: true,
  },
  shouted: {
    block: audio(Buffer.from('no sound at all').toString('base64'), 'audio/mpeg'),
    name: 'file',
    type: 'application/octet-stream',
    isUnseen: true,
  },
  private: {
    block: { ...image(png, 'image/png'), annotations: { audience: ['user'] } },
    name: 'file.png',
    type: 'image/png',
  },
};

const extension = `export default ({ addTool }) => {
  addTool({ name: 'draw', description: 'Draws.', inputSchema: { type: 'object' }, effect: 'read',
    run: () => [{ type: 'text', text: 'Here:' }, { type: 'file', data: '${png}', name: 'drawn.png' }] });
  addTool({ name: 'hum', description: 'Hums.', inputSchema: { type: 'object' }, effect: 'read',
    run: () => [{ type: 'file', data: '${wav}', name: 'hum.wav' }] });
};`;

const capture = {
  name: 'capture',
  description: 'Takes a picture.',
  inputSchema: { type: 'object' },
};

describe('the files that tools give', () => {
  const mcp = useShared(startScriptedMcp);
  const server = useServer(async () => {
    mcp.tools = [...Object.keys(results), 'bomb'].map((name) => toolEntry(name));
    mcp.results = Object.fromEntries(
      Object.entries(results).map(([name, { block }]) => [
        name,
        JSON.stringify({ content: [block] }),
      ]),
    );
    mcp.results['bomb'] = JSON.stringify({ content: [image(bomb, 'image/png')] });
    const folder = newFolder();
    const at = (name: string): string => path.join(folder, name);
    await writeFile(at('mcp.json'), JSON.stringify({ mcpServers: { box: { url: mcp.url } } }));
    await writeFile(at('rules.yaml'), 'allow: ["mcp__box__*"]\n');
    await writeFile(at('drawing.mjs'), extension);
    return {
      environment: {
        TURNPIKE_MCP_FILE: at('mcp.json'),
        TURNPIKE_PERMISSIONS_FILE: at('rules.yaml'),
        TURNPIKE_EXTENSIONS: at('drawing.mjs'),
      },
    };
  });

  const asked = (): string => JSON.stringify(server.modelRequests.at(-1)?.body.messages);
  const callsOf = async (turnId: string) => {
    const { body } = await server.client.get(`/api/harness/turns/${turnId}/tools`);
    return body['calls'] as { files?: File[]; output: string }[];
  };

  interface File {
    id: string;
    name: string;
    mimeType: string;
    size: number;
    url: string;
  }

  /** Has one tool called. */
  async function run(name: string, opts: object = {}) {
    const sessionId = await server.client.createSession(server.projectRoot);
    const stream = await server.client.turn(sessionId, `[[tool=${name} {}]]`, { opts });
    const result = (await stream.until('tool:result')).data;
    await stream.all();
    const [call] = await callsOf(stream.header('x-turn-id'));
    return { sessionId, result, call };
  }

  it.each(Object.entries(results))(
    'of an MCP server are shown as they are, and can be loaded: %s',
    async (tool, { block, name, type, isUnseen = false }) => {
      const { sessionId, result, call } = await run(`mcp__box__${tool}`);
      const [file] = call?.files ?? [];
      expect(file).toMatchObject({ name, mimeType: type });
      expect(result['files']).toEqual(call?.files);
      expect(call?.output).toContain(`[${name}: ${type}, `);
      expect(call?.output.includes('not shown to you')).toBe(isUnseen);
      expect(asked().includes('"type":"image"')).toBe(type === 'image/png');
      expect(asked()).not.toContain('"type":"audio"');
      const loaded = await fetch(server.url + file?.url);
      const bytes = Buffer.from(await loaded.arrayBuffer());
      expect([loaded.status, bytes.length]).toEqual([200, file?.size]);
      expect(JSON.stringify(block)).toContain(bytes.toString('base64'));
      expect(loaded.headers.get('content-type')).toBe(
        isUnseen ? 'application/octet-stream' : 'image/png',
      );
      const { body } = await server.client.get(`/api/harness/sessions/${sessionId}/messages`);
      expect(JSON.stringify(body)).toContain(JSON.stringify(call?.files));
    },
  );

  it('are given to nobody where a picture would take gigabytes', async () => {
    const { result, call } = await run('mcp__box__bomb');
    expect(call?.output).toMatch(/^\[file\.png: image\/png, \d+ bytes; not shown: .+\]$/);
    expect([result['files'], call?.files]).toEqual([undefined, undefined]);
    expect(asked()).not.toContain('"type":"image"');
  });

  it('of an extension are shown, and can be loaded', async () => {
    const drawn = await run('draw', { tools: ['draw'] });
    expect(drawn.call?.files).toMatchObject([{ name: 'drawn.png', mimeType: 'image/png' }]);
    expect(asked()).toContain('"media_type":"image/png"');
    const hummed = await run('hum', { tools: ['hum'] });
    expect(hummed.call?.files).toMatchObject([{ name: 'hum.wav', mimeType: 'audio/wav' }]);
    expect(asked()).not.toContain('"type":"image"');
  });

  it('can be sent again with a later message, where the model takes them', async () => {
    const { sessionId, call } = await run('mcp__box__picture');
    const attachments = [call?.files?.[0]?.id ?? ''];
    await (await server.client.turn(sessionId, 'Look again', { attachments })).all();
    expect(asked().split('"type":"image"')).toHaveLength(3);
  });

  it('are those of their owner, and for a page those of its session', async () => {
    const { sessionId, call } = await run('mcp__box__speech');
    const ids = [call?.files?.[0]?.id ?? ''];
    const files = server.get<StoredFiles>(StoredFiles);
    const found = async (...of: [string?, string?]) => (await files.find(ids, ...of)).size;
    expect([await found(), await found(LOCAL_USER, sessionId)]).toEqual([1, 1]);
    expect([await found('another'), await found(LOCAL_USER, 'sess_another')]).toEqual([0, 0]);
  });

  const message = 'Look. [[tool=capture {}]]';

  it('of a client of Responses are shown', async () => {
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 });
    const { name, description, inputSchema: parameters } = capture;
    const tools = [{ type: 'function' as const, name, description, parameters, strict: false }];
    const first = await client.responses.create({ input: message, tools });
    const item = first.output.find((one) => one.type === 'function_call');
    await client.responses.create({
      previous_response_id: first.id,
      input: [
        {
          type: 'function_call_output',
          call_id: item?.call_id ?? '',
          output: [
            { type: 'input_image', image_url: `data:image/png;base64,${png}`, detail: 'auto' },
          ],
        },
      ],
    });
    await expectShown();
  });

  it('of a client of the AI SDK are shown', async () => {
    const body = { projectRoot: server.projectRoot, clientTools: [capture] };
    const chat: HeadlessChat = new HeadlessChat({
      url: server.url,
      id: randomUUID(),
      body,
      onToolCall: ({ toolCall: { toolCallId } }) =>
        void chat.addToolOutput({
          tool: 'capture',
          toolCallId,
          output: {
            type: 'content',
            value: [{ type: 'media', data: png, mediaType: 'image/png' }],
          },
        }),
    });
    await chat.sendMessage({ text: message });
    await chat.ended();
    await expectShown();
  });

  it('of a client of AG-UI are shown', async () => {
    const agent = new HttpAgent({ url: `${server.url}/agent/WORKING_ITEMS/ag-ui` });
    const { name, description, inputSchema: parameters } = capture;
    const forwardedProps = { turnpike: { projectRoot: server.projectRoot } };
    const run = () =>
      agent.runAgent({ tools: [{ name, description, parameters }], forwardedProps });
    agent.addMessage({ id: 'u1', role: 'user', content: message });
    await run();
    const call = agent.messages.flatMap((one) =>
      one.role === 'assistant' ? (one.toolCalls ?? []) : [],
    );
    const content = `data:image/png;base64,${png}`;
    agent.addMessage({ id: 'o1', role: 'tool', toolCallId: call[0]?.id ?? '', content });
    await run();
    await expectShown();
  });

  /** Expects that the model got the picture of the last turn's call, and that readers see it. */
  async function expectShown(): Promise<void> {
    const newest = server.db.select().from(turns).orderBy(desc(turns.createdAt)).limit(1);
    const [{ id: turnId } = { id: '' }] = await newest;
    expect(asked()).toContain(`"media_type":"image/png"`);
    const files = (await callsOf(turnId)).flatMap((call) => call.files ?? []);
    expect(files).toMatchObject([{ name: 'file.png', mimeType: 'image/png' }]);
    const loaded = await fetch(server.url + files[0]?.url);
    expect(loaded.headers.get('content-type')).toBe('image/png');
  }
});
