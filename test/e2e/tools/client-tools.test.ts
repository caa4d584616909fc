import { rm } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { loadArchive } from '../../../src/events/archive.js';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import type { StreamReader } from '../../support/clients/read-stream.js';
import { startServer, type TestServer, useServer } from '../../support/processes/start-server.js';
import { newStore } from '../../support/database/test-store.js';
import { newFolder } from '../../support/suite.js';

const pick = {
  name: 'pick_color',
  description: 'Lets the user pick a color.',
  inputSchema: {
    type: 'object',
    properties: { title: { type: 'string' } },
    required: ['title'],
  },
};
const call = (title: unknown): string => `[[tool=pick_color ${JSON.stringify({ title })}]]`;
const subagentGovernance = { contextSealed: true, pipelineRunApproved: true, approvalRef: 'CHG-1' };

const idsOf = (stream: StreamReader, event = 'approval:request'): string[] =>
  stream.frames.filter((f) => f.event === event).map(({ data }) => String(data['approvalId']));
const parksOf = (stream: StreamReader): unknown[] =>
  stream.frames.filter((f) => f.event === 'turn:parked').map(({ data }) => data['approvalIds']);
const resultOf = async (stream: StreamReader) => (await stream.until('tool:result')).data;
const exitOf = async (stream: StreamReader) => (await stream.all()).at(-1)?.data;

async function send(server: TestServer, message: string, opts = {}, more = {}) {
  const { client, projectRoot } = server;
  const sessionId = await client.createSession(projectRoot, more);
  const all = { tools: ['glob'], clientTools: [pick], onDisconnect: 'continue', ...opts };
  const stream = await client.turn(sessionId, message, { opts: all });
  return { sessionId, stream };
}

async function ask(server: TestServer, message: string, opts = {}) {
  const { sessionId, stream } = await send(server, message, opts);
  await stream.until('turn:parked');
  const [id = ''] = idsOf(stream);
  return { sessionId, stream, id };
}

const answer = (server: TestServer, id: string, body: object) =>
  server.client.post(`/api/harness/approvals/${id}`, body);

describe('a tool of the client', () => {
  const root = instructionRootWith({
    LEAD: ['subagents: [HELPER]', 'AGENT_TYPE: 1', 'tools: [read]'],
    HELPER: ['AGENT_TYPE: 2', 'AGENT_CLASS: TASK', 'tools: [read]'],
    STRICT: ['permissions: {deny: ["*_color"]}'],
  });
  const server = useServer({
    environment: {
      TURNPIKE_INSTRUCTION_ROOT: root,
      TURNPIKE_ENABLE_SUBAGENTS: 'true',
      TURNPIKE_TOOL_OUTPUT_LIMIT: '1000',
    },
  });

  it('is offered, asked for and answered, while no worker has the turn', async () => {
    const { stream, id } = await ask(server, call('Roof'));
    const offered = server.modelRequests.at(-1)?.body.tools ?? [];
    expect(offered.map(({ name }) => name).sort()).toEqual(['glob', 'pick_color']);
    expect((await stream.until('approval:request')).data).toMatchObject({
      kind: 'client-tool',
      name: 'pick_color',
      input: { title: 'Roof' },
      onTimeout: 'deny',
    });
    expect(parksOf(stream)).toEqual([[id]]);
    const turnId = stream.header('x-turn-id');
    const { body } = await server.client.get(`/api/harness/turns/${turnId}`);
    expect(body['turn']).toMatchObject({ status: 'waiting', attempt: 1 });
    const red = { decision: 'answer', output: 'red' };
    expect(await answer(server, id, red)).toMatchObject({
      status: 200,
      body: { approval: { kind: 'client-tool', decision: 'answer', by: 'local' } },
    });
    expect(await resultOf(stream)).toMatchObject({
      name: 'pick_color',
      ok: true,
      status: 'success',
      output: 'red',
      durationMs: expect.any(Number),
    });
    expect(await exitOf(stream)).toEqual({ exitCode: 0 });
    expect(stream.names()).not.toContain('tool:start');
    expect(stream.names()).not.toContain('turn:recovering');
    const { body: ledger } = await server.client.get(`/api/harness/turns/${turnId}/tools`);
    expect(ledger['calls']).toMatchObject([
      { name: 'pick_color', status: 'success', output: 'red', input: { title: 'Roof' } },
    ]);
    expect((await answer(server, id, red)).status).toBe(200);
    expect(await answer(server, id, { decision: 'answer', output: 'blue' })).toMatchObject({
      status: 409,
      body: { error: { type: 'APPROVAL_RESOLVED' } },
    });
  });

  it.each([
    [{ output: { rgb: [1, 2] } }, { ok: true, output: '{"rgb":[1,2]}' }],
    [{ output: null }, { ok: true, output: 'null' }],
    [{ output: 'a\u0000b' }, { ok: true, output: 'a\u0000b' }],
    [
      { output: 'No screen.', isError: true },
      { ok: false, status: 'error', output: 'No screen.' },
    ],
  ])('gives the model its result: %j', async (given, result) => {
    const { stream, id } = await ask(server, call('Door'));
    await answer(server, id, { decision: 'answer', ...given });
    expect(await resultOf(stream)).toMatchObject(result);
    expect(await exitOf(stream)).toEqual({ exitCode: 0 });
  });

  it('gives no more than other tools, and none of the server’s secrets', async () => {
    const { stream, id } = await ask(server, call('Wall'));
    const output = `sk-ant-test-key-that-is-secret ${'x'.repeat(5_000)}`;
    await answer(server, id, { decision: 'answer', output });
    const result = String((await resultOf(stream))['output']);
    expect(result).toContain('[output cut: 1000 of 5031 characters shown]');
    expect(result).not.toContain('secret');
    await stream.all();
  });

  it('is declined with a message that the model reads', async () => {
    const { stream, id } = await ask(server, call('Fence'));
    await answer(server, id, { decision: 'deny', message: 'No colors today.' });
    expect(await resultOf(stream)).toMatchObject({
      status: 'denied',
      output: 'not run: the client declined the call: No colors today.',
    });
    expect(await exitOf(stream)).toEqual({ exitCode: 0 });
  });

  it('is not asked for with an input that does not fit', async () => {
    const { stream } = await send(server, call(7));
    expect(await resultOf(stream)).toMatchObject({
      status: 'error',
      output: expect.stringContaining('title must be string'),
    });
    expect(await exitOf(stream)).toEqual({ exitCode: 0 });
    expect(idsOf(stream)).toEqual([]);
  });

  it('waits beside others, and the turn says each time what it waits for', async () => {
    const { stream } = await ask(server, `${call('One')} ${call('Two')}`);
    const [one = '', two = ''] = idsOf(stream);
    await answer(server, two, { decision: 'answer', output: 'second' });
    await stream.until(({ event, data }) => event === 'turn:parked' && isOnly(data, one));
    await answer(server, one, { decision: 'answer', output: 'first' });
    expect(await exitOf(stream)).toEqual({ exitCode: 0 });
    expect(parksOf(stream)).toEqual([[one, two], [one]]);
    // An answered call has its result in the stream while the other call is still parked.
    const results = stream.frames.filter(({ event }) => event === 'tool:result');
    expect(results.map(({ data }) => data['output'])).toEqual(['second', 'first']);
  });

  it('is said to have ended, once for each answer, when the model is called again', async () => {
    const { stream, id } = await ask(server, call('One'));
    await answer(server, id, { decision: 'answer', output: 'red' });
    await stream.all();
    const arrived = stream.frames.filter(({ data }) => data['kind'] === 'background-result');
    const text = 'pick_color has ended: its client answered while the turn waited.';
    expect(arrived).toMatchObject([
      { event: 'system:notice', data: { text, metadata: { id }, seenByModel: true } },
    ]);
    expect(JSON.stringify(server.modelRequests.at(-1)?.body.messages)).toContain(text);
  });

  it('is asked for without leave, whatever the mode', async () => {
    for (const mode of ['plan', 'dontAsk']) {
      const { stream, id } = await ask(server, call('Sky'), { mode });
      await answer(server, id, { decision: 'answer', output: 'blue' });
      expect((await resultOf(stream))['ok']).toBe(true);
      await stream.all();
    }
  });

  it('is hidden by a rule that denies it', async () => {
    const { stream } = await send(server, call('Sky'), {}, { persona: 'STRICT' });
    expect(await resultOf(stream)).toMatchObject({
      status: 'denied',
      output: expect.stringContaining('denies *_color'),
    });
    await stream.all();
    const offered = server.modelRequests.at(-1)?.body.tools ?? [];
    expect(offered.map(({ name }) => name)).toEqual(['glob']);
  });

  it('is no subagent’s', async () => {
    const work = JSON.stringify({ agent: 'HELPER', prompt: 'Look.' });
    const opts = { subagentGovernance, tools: undefined };
    const from = server.modelRequests.length;
    const { stream } = await send(server, `[[tool=task ${work}]]`, opts, { persona: 'LEAD' });
    expect(await exitOf(stream)).toEqual({ exitCode: 0 });
    const offers = server.modelRequests
      .slice(from)
      .map(({ body }) => (body.tools ?? []).map(({ name }) => name).sort());
    expect(offers).toContainEqual(['read']);
    expect(offers).toContainEqual(['pick_color', 'read', 'task']);
  });

  it('ends with its turn', async () => {
    const { stream, id, sessionId } = await ask(server, call('Never'));
    await server.client.post('/api/harness/interrupt', { sessionId });
    expect(await exitOf(stream)).toEqual({ exitCode: 130, interrupted: true });
    expect((await stream.until('approval:resolve')).data).toMatchObject({ decision: 'cancelled' });
    expect(parksOf(stream)).toEqual([[id]]);
    expect((await answer(server, id, { decision: 'answer', output: 'x' })).status).toBe(409);
  });

  it.each([
    [{ decision: 'approve' }, 'send decision "answer" with its output'],
    [{ decision: 'approve-session' }, 'send decision "answer" with its output'],
    [{ decision: 'answer' }, "Missing 'output'"],
    [{ decision: 'answer', output: 'x', input: {} }, "'input' goes with an approval"],
    [{ decision: 'answer', output: 'x', rule: 'glob' }, "'rule' goes with"],
    [{ decision: 'answer', output: 'x', isError: 'no' }, "'isError'"],
    [{ decision: 'deny', output: 'x' }, "'output' and 'isError' go with"],
  ])('takes no answer like %j', async (body, message) => {
    const { stream, id } = await ask(server, call('Refused'));
    expect(await answer(server, id, body)).toMatchObject({
      status: 400,
      body: { error: { type: 'INVALID_REQUEST', message: expect.stringContaining(message) } },
    });
    await answer(server, id, { decision: 'deny' });
    await stream.all();
  });

  it('is no way to answer what asks for leave', async () => {
    const write = '[[tool=write {"file_path":"a","content":"x"}]]';
    const { stream, id } = await ask(server, write, { tools: ['write'] });
    expect(await answer(server, id, { decision: 'answer', output: 'done' })).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('"approve" or "deny"') } },
    });
    await answer(server, id, { decision: 'deny' });
    await stream.all();
    expect(parksOf(stream)).toEqual([[id]]);
  });

  it('has no name of the server’s own', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const clientTools = [pick, { ...pick, name: 'bash' }];
    const body = { sessionId, message: 'Hello', opts: { clientTools } };
    expect(await client.post('/api/harness/turn', body)).toMatchObject({
      status: 400,
      body: {
        error: {
          type: 'INVALID_REQUEST',
          message: expect.stringContaining('tools called bash. Give yours other names.'),
        },
      },
    });
  });

  it('is left out alone where it is wrong, and the client learns why', async () => {
    const clientTools = [pick, { ...pick, name: 'no spaces' }];
    const { stream } = await send(server, 'Hello', { clientTools });
    await stream.all();
    const notice = stream.frames.find(({ event }) => event === 'system:notice')?.data;
    expect(notice).toMatchObject({ kind: 'options-ignored' });
    expect(notice?.['text']).toMatch(
      /opts\.clientTools\[1\] \(no spaces\) had no effect: .*\[1\]\.name is not /,
    );
    const offered = server.modelRequests.at(-1)?.body.tools ?? [];
    expect(offered.map(({ name }) => name)).toEqual(['glob', 'pick_color']);
  });
});

const isOnly = (data: Record<string, unknown>, id: string): boolean =>
  JSON.stringify(data['approvalIds']) === JSON.stringify([id]);

describe('a tool of the client that does not answer', () => {
  it('is declined at the deadline, whatever else is approved then', async () => {
    const server = await startServer({
      environment: { TURNPIKE_APPROVAL_TIMEOUT_MS: '1000', TURNPIKE_APPROVAL_DEFAULT: 'approve' },
    });
    try {
      const { stream } = await ask(server, call('Late'));
      expect(await resultOf(stream)).toMatchObject({
        status: 'denied',
        output: expect.stringContaining('the client did not answer in time'),
      });
      expect(await exitOf(stream)).toEqual({ exitCode: 0 });
    } finally {
      await server.close();
    }
  });
});

describe('a server that starts again', () => {
  it('takes the answer to what another one asked', async () => {
    const folder = newFolder();
    const store = await newStore();
    const first = await startServer({ store });
    const { stream, id } = await ask(first, call('Later'));
    const turnId = stream.header('x-turn-id');
    await first.stop();
    const second = await startServer({ store });
    try {
      expect((await answer(second, id, { decision: 'answer', output: 'green' })).status).toBe(200);
      const again = await second.client.follow(turnId);
      expect(await exitOf(again)).toEqual({ exitCode: 0 });
      expect(await resultOf(again)).toMatchObject({ ok: true, output: 'green' });
      expect(parksOf(again)).toEqual([[id]]);
      const kept = await loadArchive(second.db, turnId);
      expect(kept.filter(({ type }) => type === 'turn.parked')).toHaveLength(1);
    } finally {
      await second.close();
      await first.close();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
