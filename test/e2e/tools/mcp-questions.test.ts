import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import type { StreamReader } from '../../support/clients/read-stream.js';
import { serveAskingMcp } from '../../support/mcp/asking-mcp.js';
import { useServer } from '../../support/processes/start-server.js';
import { newFolder, useShared } from '../../support/suite.js';

const program = fileURLToPath(
  import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'),
);

describe('a tool of an MCP server that asks', () => {
  const shop = useShared(serveAskingMcp);
  const server = useServer(() => {
    const file = path.join(newFolder(), 'mcp.json');
    const mcpServers = {
      shop: { url: shop.url, roots: true },
      closed: { url: shop.url },
      everything: { command: process.execPath, args: [program] },
    };
    writeFileSync(file, JSON.stringify({ mcpServers }));
    const allow = 'permissions: {allow: [mcp__shop__*, mcp__closed__*, mcp__everything__*]}';
    const servers = 'mcp_servers: [shop, closed, everything]';
    return {
      environment: {
        TURNPIKE_INSTRUCTION_ROOT: instructionRootWith({
          USER: [servers, allow],
        }),
        TURNPIKE_MCP_FILE: file,
      },
    };
  });
  beforeEach(() => {
    shop.calls.length = 0;
  });

  async function send(tool: string, input: object = {}, more: object = {}) {
    const sessionId = await server.client.createSession(server.projectRoot, {
      persona: 'USER',
    });
    const message = `[[tool=mcp__${tool} ${JSON.stringify(input)}]]`;
    const opts = { onDisconnect: 'continue', ...more };
    return server.client.turn(sessionId, message, { opts });
  }

  const questionOf = async (stream: StreamReader) =>
    (await stream.until('approval:request')).data as {
      approvalId: string;
      kind: string;
      question: Record<string, unknown>;
    };
  const resultOf = async (stream: StreamReader) => {
    const frames = await stream.all();
    expect(frames.filter(({ event }) => event === 'turn:end')).toHaveLength(1);
    return frames.find(({ event }) => event === 'tool:result')?.data ?? {};
  };
  const answer = (id: string, body: object) =>
    server.client.post(`/api/harness/approvals/${id}`, body);

  it('by a form parks the turn, and is called again with the answer and its own state', async () => {
    const stream = await send('shop__order');
    const asked = await questionOf(stream);
    expect(asked).toMatchObject({
      kind: 'elicitation',
      question: {
        mode: 'form',
        server: 'shop',
        host: new URL(shop.url).host,
        message: 'Which?',
        schema: { required: ['colour', 'count'] },
      },
    });
    await stream.until('turn:parked');
    expect(JSON.stringify(stream.frames)).not.toContain('kept by the shop');
    expect(
      await answer(asked.approvalId, { decision: 'answer', content: { colour: 'g' } }),
    ).toMatchObject({
      status: 200,
      body: { approval: { kind: 'elicitation', decision: 'answer', question: { server: 'shop' } } },
    });
    expect(await resultOf(stream)).toMatchObject({ status: 'success' });
    expect(shop.calls).toEqual([
      { name: 'order', responses: undefined, state: undefined },
      {
        name: 'order',
        responses: { a: { action: 'accept', content: { colour: 'g', count: 2 } } },
        state: 'kept by the shop',
      },
    ]);
  });

  it('keeps its question after a wrong answer, which says what is wrong with each field', async () => {
    const stream = await send('shop__order');
    const { approvalId } = await questionOf(stream);
    const wrong = { colour: 'blue', count: 99, more: 1 };
    expect(await answer(approvalId, { decision: 'answer', content: wrong })).toMatchObject({
      status: 400,
      body: {
        error: {
          type: 'INVALID_REQUEST',
          details: {
            fields: {
              colour: 'must be one of r, g',
              count: 'must be at most 9',
              more: 'is no field of the form',
            },
          },
        },
      },
    });
    for (const body of [
      { decision: 'answer' },
      { decision: 'approve-session' },
      { decision: 'answer', output: 'g' },
    ]) {
      expect(await answer(approvalId, body)).toMatchObject({ status: 400 });
    }
    expect(shop.calls).toHaveLength(1);
    // A state of somebody else's is no field of an answer.
    const content = { colour: 'r', count: 1 };
    await answer(approvalId, { decision: 'answer', content, requestState: 'mine' });
    expect(await resultOf(stream)).toMatchObject({ status: 'success' });
    expect(shop.calls.at(-1)?.state).toBe('kept by the shop');
  });

  it.each([
    ['deny', 'decline'],
    ['cancel', 'cancel'],
  ])('is told of %s', async (decision, action) => {
    const stream = await send('shop__order');
    await answer((await questionOf(stream)).approvalId, { decision });
    expect(await resultOf(stream)).toMatchObject({ status: 'success' });
    expect(shop.calls.at(-1)).toMatchObject({ responses: { a: { action } } });
  });

  it('asks two things in one round, and goes on without a question in the next', async () => {
    const stream = await send('shop__two');
    const first = await questionOf(stream);
    await answer(first.approvalId, { decision: 'answer', content: { colour: 'g', count: 1 } });
    const second = await stream.until(
      ({ event, data }) => event === 'approval:request' && data['approvalId'] !== first.approvalId,
    );
    expect(second.data).toMatchObject({ question: { message: 'Second?' } });
    expect(shop.calls).toHaveLength(1);
    await answer(String(second.data['approvalId']), { decision: 'deny' });
    expect(await resultOf(stream)).toMatchObject({ status: 'success' });
    expect(shop.calls.slice(1)).toMatchObject([
      { responses: { a: { action: 'accept' }, b: { action: 'decline' } }, state: 'first round' },
      { state: 'second round' },
    ]);
  });

  it('shows a link whole, and is called again once it is done', async () => {
    const stream = await send('shop__page');
    const { approvalId, question } = await questionOf(stream);
    expect(question).toMatchObject({
      mode: 'url',
      url: 'https://pay.example/cart?id=1',
      origin: 'https://pay.example',
      message: 'Pay here.',
    });
    expect(await answer(approvalId, { decision: 'answer', content: { a: 1 } })).toMatchObject({
      status: 400,
    });
    await answer(approvalId, { decision: 'answer' });
    expect(await resultOf(stream)).toMatchObject({ status: 'success' });
    expect(shop.calls.at(-1)?.responses).toEqual({ a: { action: 'accept' } });
  });

  it.each([
    ['shop__script', 'a link that is no page of the web'],
    ['shop__spy', 'its field "password" asks for a secret'],
    ['closed__where', '(roots/list)'],
    ['shop__endless', 'has asked for more in 10 rounds'],
  ])('of %s is not asked: %s', async (tool, why) => {
    const stream = await send(tool);
    const result = await resultOf(stream);
    expect(result).toMatchObject({ status: 'error', output: expect.stringContaining(why) });
    expect(stream.frames.some(({ event }) => event === 'approval:request')).toBe(false);
  });

  it('is told the folder of the project where its definition says so', async () => {
    expect(await resultOf(await send('shop__where'))).toMatchObject({ status: 'success' });
    expect(JSON.stringify(shop.calls.at(-1))).toContain(`file://${server.projectRoot}`);
  });

  it('is refused by the server where the turn can ask nobody', async () => {
    const stream = await send('shop__order', {}, { mode: 'dontAsk' });
    expect(await resultOf(stream)).toMatchObject({ status: 'error' });
    expect(stream.frames.some(({ event }) => event === 'approval:request')).toBe(false);
  });

  describe('over a connection that waits', () => {
    const form = 'everything__trigger-elicitation-request';
    const link = 'everything__trigger-url-elicitation';

    it('has the answer in the same call', async () => {
      const stream = await send(form);
      const { approvalId, question } = await questionOf(stream);
      expect(question).toMatchObject({ mode: 'form', server: 'everything' });
      const wrong = { decision: 'answer', content: { email: 'nobody' } };
      expect(await answer(approvalId, wrong)).toMatchObject({ status: 400 });
      const content = { name: 'Ann', check: true, titledMultipleSelectEnum: ['fish-1'] };
      await answer(approvalId, { decision: 'answer', content });
      const { status, output } = await resultOf(stream);
      expect({ status, output }).toMatchObject({
        status: 'success',
        output: expect.stringContaining('Ann'),
      });
      expect(stream.frames.some(({ event }) => event === 'turn:parked')).toBe(false);
    });

    it.each([
      ['deny', 'declined'],
      ['cancel', 'cancelled'],
    ])('is told of %s', async (decision, said) => {
      const stream = await send(form);
      await answer((await questionOf(stream)).approvalId, { decision });
      expect((await resultOf(stream))['output']).toMatch(said);
    });

    it('shows a link', async () => {
      const stream = await send(link, { url: 'https://pay.example/' });
      const { approvalId, question } = await questionOf(stream);
      expect(question).toMatchObject({ mode: 'url', origin: 'https://pay.example' });
      await answer(approvalId, { decision: 'answer' });
      expect((await resultOf(stream))['output']).toContain('completed');
    });

    it('parks the turn where the server refuses the call until a page was opened', async () => {
      const stream = await send(link, { url: 'https://pay.example/', errorPath: true });
      const first = await questionOf(stream);
      expect(first.question).toMatchObject({ origin: 'https://modelcontextprotocol.io' });
      await stream.until('turn:parked');
      await answer(first.approvalId, { decision: 'answer' });
      const second = await stream.until(
        ({ event, data }) =>
          event === 'approval:request' && data['approvalId'] !== first.approvalId,
      );
      await answer(String(second.data['approvalId']), { decision: 'answer' });
      expect((await resultOf(stream))['output']).toContain('completed');
    });
  });
});
