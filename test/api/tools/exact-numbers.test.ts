import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { startScriptedMcp, toolEntry } from '../../support/mcp/start-scripted-mcp.js';
import { startScriptedModel } from '../../support/model/start-scripted-model.js';
import { startKeyed } from '../../support/transfer/keyed-server.js';
import { startHook } from '../../support/tools/start-hook.js';
import { newFolder, useShared } from '../../support/suite.js';

const digits = '2512292042121000001';
/** None of these prints in JavaScript as it came. */
const exact = `{"id":${digits},"share":1.0,"list":[-0,1e400,0.1000000000000000055]}`;
const schema = {
  type: 'object',
  properties: { id: { type: 'integer' }, share: { type: 'number' } },
  required: ['id'],
};
const quoted = (json: string): string => JSON.stringify(json).slice(1, -1);

describe('numbers that JavaScript prints otherwise', () => {
  const model = useShared(startScriptedModel);
  const mcp = useShared(startScriptedMcp);
  const hook = useShared(startHook);
  const server = useShared(async () => {
    const file = path.join(newFolder(), 'mcp.json');
    mcp.tools = [toolEntry('take', { inputSchema: schema })];
    mcp.results['take'] = `{"content":[],"structuredContent":${exact}}`;
    await writeFile(file, JSON.stringify({ mcpServers: { box: { url: mcp.url } } }));
    return startKeyed({
      environment: {
        ...hook.environment,
        TURNPIKE_MCP_FILE: file,
        TURNPIKE_PROVIDER_BASE_URL: model.url,
        TURNPIKE_EGRESS_ALLOW: model.url,
      },
    });
  });
  beforeEach(() => {
    model.script.length = 0;
    model.texts.length = 0;
  });

  async function text(route: string, body?: string, headers = {}): Promise<string> {
    const json = { 'content-type': 'application/json', ...headers };
    const all = { ...json, ...server.headers };
    const init = body === undefined ? {} : { method: 'POST', body };
    const response = await fetch(server.url + route, { ...init, headers: all });
    return response.text();
  }
  const session = (): Promise<string> =>
    server.client.createSession(server.projectRoot, { permissions: { allow: ['mcp__box__*'] } });

  it.each([
    ['as JSON', false],
    ['as a stream', true],
  ])(
    'reach an MCP server and the tool hook, and come back %s, and are replayed',
    async (_how, isStream) => {
      mcp.isStream = isStream;
      model.script.push({ call: { name: 'mcp__box__take', input: exact } }, { text: 'Done.' });
      const message = JSON.stringify({ sessionId: await session(), message: 'Take it' });
      const frames = await text('/api/harness/turn', message);
      expect(mcp.bodies.at(-1)).toContain(`"arguments":${exact}`);
      expect(hook.receiver.received.at(-1)?.text).toContain(`"input":${exact}`);
      expect(frames).toContain(`"input":${exact}`);
      expect(frames).toContain(`"output":"${quoted(exact)}"`);
      expect(model.texts.at(-1)).toContain(`"input":${exact}`);
      expect(model.texts.at(-1)).toContain(quoted(exact));
      const [, turnId = ''] = /(turn_[\w-]+)/.exec(frames) ?? [];
      expect(await text(`/api/harness/turns/${turnId}/events`)).toContain(`"input":${exact}`);
      expect(await text(`/api/harness/turns/${turnId}/tools`)).toContain(`"input":${exact}`);
    },
  );

  it('are in an export, and in what is imported from it', async () => {
    model.script.push({ call: { name: 'mcp__box__take', input: exact } }, { text: 'Done.' });
    const sessionId = await session();
    const message = JSON.stringify({ sessionId, message: 'Take it' });
    const [turnId = ''] = /turn_[\w-]+/.exec(await text('/api/harness/turn', message)) ?? [];
    const exported = await text(`/api/admin/export?sessionId=${sessionId}`);
    expect(exported).toContain(`"input":${exact}`);
    await server.client.request('DELETE', `/api/harness/session/${sessionId}`);
    expect(await text(`/api/harness/turns/${turnId}/tools`)).toContain('TURN_NOT_FOUND');
    await text('/api/admin/import', exported, { 'content-type': 'application/x-ndjson' });
    for (const route of ['tools', 'events']) {
      expect(await text(`/api/harness/turns/${turnId}/${route}`)).toContain(`"input":${exact}`);
    }
    expect(await text(`/api/admin/export?sessionId=${sessionId}`)).toContain(`"input":${exact}`);
  });

  const tool = { name: 'pick', description: 'Picks.' };
  const ours = { ...tool, inputSchema: schema };
  const pick = () => model.script.push({ call: { name: 'pick', input: exact } }, { text: 'Done.' });

  it('reach a tool of the client on the harness wire, and its output the model', async () => {
    pick();
    const stream = await server.client.turn(await session(), 'Pick', {
      opts: { clientTools: [ours], onDisconnect: 'continue' },
    });
    const { data } = await stream.until('approval:request');
    const route = `/api/harness/approvals/${String(data['approvalId'])}`;
    expect(await text(route)).toContain(`"input":${exact}`);
    await text(route, `{"decision":"answer","output":${exact}}`);
    await stream.all();
    expect(model.texts.at(-1)).toContain(quoted(exact));
  });

  it('are those that a person changes a call to', async () => {
    model.script.push({ call: { name: 'mcp__box__take', input: '{"id":1}' } }, { text: 'Done.' });
    const asking = await server.client.createSession(server.projectRoot);
    const stream = await server.client.turn(asking, 'Take it', {
      opts: { onDisconnect: 'continue' },
    });
    const { data } = await stream.until('approval:request');
    const changed = `{"decision":"approve","input":${exact}}`;
    expect(await text(`/api/harness/approvals/${String(data['approvalId'])}`, changed)).toContain(
      `"editedInput":${exact}`,
    );
    await stream.all();
    expect(mcp.bodies.at(-1)).toContain(`"arguments":${exact}`);
    expect(model.texts.at(-1)).toContain(quoted(exact));
  });

  it('reach a tool of the client on the AI SDK wire, and its output the model', async () => {
    pick();
    const { projectRoot } = server;
    const id = randomUUID();
    const asked = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Pick' }] };
    const body = { id, projectRoot, clientTools: [ours], messages: [asked] };
    const frames = await text('/api/chat', JSON.stringify(body));
    expect(frames).toContain(`"input":${exact}`);
    const [, toolCallId = ''] = /"toolCallId":"([^"]+)"/.exec(frames) ?? [];
    const [, answerId = 'a1'] = /"messageId":"([^"]+)"/.exec(frames) ?? [];
    const part = `{"type":"tool-pick","toolCallId":"${toolCallId}","state":"output-available","input":${exact},"output":${exact}}`;
    const messages = `[${JSON.stringify(asked)},{"id":"${answerId}","role":"assistant","parts":[${part}]}]`;
    await text(
      '/api/chat',
      JSON.stringify({ ...body, messages: 0 }).replace('"messages":0', `"messages":${messages}`),
    );
    expect(model.texts.at(-1)).toContain(quoted(exact));
    expect(model.texts.at(-1)).toContain(`"input":${exact}`);
  });

  it('reach a tool of the client on the AG-UI wire', async () => {
    pick();
    const frames = await text(
      '/agent/WORKING_ITEMS/ag-ui',
      JSON.stringify({
        threadId: randomUUID(),
        runId: randomUUID(),
        state: {},
        context: [],
        messages: [{ id: 'u1', role: 'user', content: 'Pick' }],
        tools: [{ ...tool, parameters: schema }],
        forwardedProps: { turnpike: { projectRoot: server.projectRoot } },
      }),
      { accept: 'text/event-stream' },
    );
    expect(frames).toContain(quoted(exact));
  });

  it.each([true, false])(
    'reach a tool of the client on the Responses wire: stream %s',
    async (stream) => {
      pick();
      const tools = [{ type: 'function', ...tool, parameters: schema, strict: false }];
      const answer = await text(
        '/v1/responses',
        JSON.stringify({ model: 'WORKING_ITEMS', tools, input: 'Pick', stream }),
      );
      expect(answer).toContain(`"arguments":"${quoted(exact)}"`);
    },
  );

  it.each(['/api/oracle/stream', '/agent/WORKING_ITEMS/chat'])(
    'are on the wire of %s',
    async (route) => {
      model.script.push(
        { call: { name: 'glob', input: `{"pattern":"*","at":${digits}}` } },
        { text: 'Done.' },
      );
      const asked = { question: 'Go', message: 'Go', projectRoot: server.projectRoot };
      expect(await text(route, JSON.stringify(asked))).toContain(digits);
    },
  );

  it.each(['application/json', 'text/event-stream'])(
    'are in the object that a turn ends with: %s',
    async (accept) => {
      model.script.push({ text: exact });
      const opts = { output: { schema } };
      const asked = { sessionId: await session(), message: 'An object', opts };
      const answer = await text('/api/harness/turn', JSON.stringify(asked), { accept });
      expect(answer).toContain(`"output":${exact}`);
    },
  );
});
