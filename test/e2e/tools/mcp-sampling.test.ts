import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { noUsage } from '../../../src/events/turn-event.js';
import { tokensOf } from '../../../src/governance/limits/cost.js';
import { usageDays } from '../../../src/storage/governance-schema.js';
import { turns } from '../../../src/storage/schema.js';
import { pixel } from '../../support/files/made-files.js';
import { expectSoon } from '../../support/expect-soon.js';
import { serveSamplingMcp, type ModelAsk } from '../../support/mcp/serve-sampling-mcp.js';
import { useServer } from '../../support/processes/start-server.js';
import { newFolder, useShared } from '../../support/suite.js';

interface Usage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  costUsd: number;
}

const say = (text: string) => ({ role: 'user', content: { type: 'text', text } });

describe.each(['legacy', '2026-07-28'])('a server of the era %s that asks the model', (era) => {
  const isLegacy = era === 'legacy';
  const sampler = useShared(() => serveSamplingMcp(era));
  const server = useServer(async () => {
    const folder = newFolder();
    const at = (name: string): string => path.join(folder, name);
    const { url } = sampler;
    const mcpServers = {
      free: { url, protocol: era, sampling: { maxTokens: 300 } },
      closed: { url, protocol: era },
    };
    await writeFile(at('mcp.json'), JSON.stringify({ mcpServers }));
    await writeFile(at('rules.yaml'), 'allow: ["mcp__*__ask"]\ndeny: ["mcp__free__more"]\n');
    return {
      environment: {
        TURNPIKE_MCP_FILE: at('mcp.json'),
        TURNPIKE_PERMISSIONS_FILE: at('rules.yaml'),
        TURNPIKE_TOKENS_PER_DAY: '200000',
      },
    };
  });
  beforeEach(() => {
    sampler.got.length = 0;
    sampler.declared.length = 0;
    server.modelRequests.length = 0;
  });

  const params = (text: string, more: object = {}) => ({
    messages: [say(text)],
    maxTokens: 1_000,
    ...more,
  });

  async function send(asks: ModelAsk, { tool = 'free__ask', opts = {} } = {}) {
    sampler.asks['ask'] = asks;
    const sessionId = await server.client.createSession(server.projectRoot);
    const stream = await server.client.turn(sessionId, `[[tool=mcp__${tool} {}]]`, {
      opts: { onDisconnect: 'continue', ...opts },
    });
    return { stream, sessionId, turnId: stream.header('x-turn-id') };
  }

  async function run(asks: ModelAsk, more: { tool?: string; opts?: object } = {}) {
    const { stream, turnId } = await send(asks, more);
    const frames = await stream.all();
    const of = (event: string) =>
      frames.filter((one) => one.event === event).map(({ data }) => data);
    expect(of('turn:end')).toHaveLength(1);
    return { of, end: of('turn:end')[0], turnId, ...(await stored(turnId)) };
  }

  async function stored(turnId: string) {
    const { body } = await server.client.get(`/api/harness/turns/${turnId}`);
    const turn = body['turn'] as { status: string; usage: Usage };
    const { body: listed } = await server.client.get(`/api/harness/turns/${turnId}/tools`);
    const [call] = listed['calls'] as {
      status: string;
      output: string;
      sampling?: { modelCalls: number; usage: Usage };
    }[];
    const { body: ofSteps } = await server.client.get(`/api/harness/turns/${turnId}/steps`);
    const steps = (ofSteps['steps'] as { usage: Usage }[]).map(({ usage }) => usage);
    return { turn, call, steps };
  }

  /** What a server asked for; the other requests are the turn's own. */
  const sampled = () =>
    server.modelRequests
      .filter(({ body }) => (body.tools ?? []).length === 0)
      .map(({ body }) => body);
  const sum = (usages: readonly Usage[], of: keyof Usage) =>
    usages.reduce((all, usage) => all + usage[of], 0);

  it('gets a reply of the turn’s model to its own words alone, which the turn pays for once', async () => {
    const { of, turn, call, steps } = await run({
      params: params('[[tokens=40]]', {
        systemPrompt: 'Be brief.',
        includeContext: 'allServers',
        temperature: 0.2,
        modelPreferences: { hints: [{ name: 'gpt-7' }] },
        stopSequences: ['END'],
      }),
    });
    const [asked] = sampled();
    expect(asked).toMatchObject({
      model: server.modelRequests[0]?.body.model,
      max_tokens: 300,
      stop_sequences: ['END'],
      messages: [{ role: 'user', content: [{ text: '[[tokens=40]]' }] }],
    });
    expect(JSON.stringify(asked?.system)).toContain('Be brief.');
    expect(asked?.system).toHaveLength(1);
    expect(asked).not.toHaveProperty('temperature');
    expect(sampler.declared).toEqual([expect.objectContaining({ sampling: {} })]);
    expect(sampler.got).toMatchObject([
      { role: 'assistant', stopReason: 'endTurn', content: { type: 'text' }, model: asked?.model },
    ]);
    expect(call).toMatchObject({ status: 'success', sampling: { modelCalls: 1 } });
    const usage = call?.sampling?.usage;
    expect(usage?.outputTokens).toBeGreaterThan(30);
    const all = [...steps, ...(usage === undefined ? [] : [usage])];
    expect(turn.usage.outputTokens).toBe(sum(all, 'outputTokens'));
    expect(turn.usage.costUsd).toBeCloseTo(sum(all, 'costUsd'), 9);
    expect(of('system:notice')).toContainEqual(
      expect.objectContaining({
        kind: 'mcp-sampling',
        metadata: expect.objectContaining({ usage }),
      }),
    );
  });

  it('is not told that it may, and gets nothing, without a definition that lets it', async () => {
    const { call } = await run({ params: params('Hello') }, { tool: 'closed__ask' });
    expect(sampler.declared).toEqual([
      expect.not.objectContaining({ sampling: expect.anything() }),
    ]);
    expect(sampled()).toEqual([]);
    expect(call).not.toHaveProperty('sampling');
    if (isLegacy) expect(sampler.got).toMatchObject([{ code: -32_601 }]);
    else expect(call?.status).toBe('error');
  });

  it('asks nothing in a call that the rules deny', async () => {
    sampler.asks['more'] = { params: params('Hello') };
    const { call } = await run({ params: {} }, { tool: 'free__more' });
    expect(call?.status).toBe('denied');
    expect(sampler.declared).toEqual([]);
    expect(sampled()).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['audio', { content: { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' } }, 'sends audio'],
    [
      'bytes that are no image',
      { content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } },
      'no PNG',
    ],
    ['a reply to go on with', { role: 'assistant' }, 'begin and end with one of the user'],
  ])('is refused %s by name', async (_what, odd, why) => {
    const { call } = await run({
      params: { messages: [{ ...say('Hello'), ...odd }], maxTokens: 9 },
    });
    expect(sampled()).toEqual([]);
    expect(call).not.toHaveProperty('sampling');
    const told = isLegacy ? JSON.stringify(sampler.got) : call?.output;
    expect(told).toContain(why);
    if (isLegacy) expect(sampler.got).toMatchObject([{ code: -32_602 }]);
  });

  it('has the model see an image, whose type its bytes tell', async () => {
    const image = { type: 'image', data: pixel, mimeType: 'image/webp' };
    await run({ params: { messages: [{ role: 'user', content: image }], maxTokens: 50 } });
    expect(sampled()).toMatchObject([
      { messages: [{ content: [{ type: 'image', source: { media_type: 'image/png' } }] }] },
    ]);
    expect(sampler.got).toMatchObject([{ role: 'assistant' }]);
  });

  it('that asks for ever, or everything at once, gets ten replies in a call', async () => {
    for (const together of [false, true]) {
      server.modelRequests.length = 0;
      const times = together && !isLegacy ? 10 : 25;
      const { call } = await run({ params: params('[[tokens=3]]'), times, together });
      expect(sampled()).toHaveLength(10);
      expect(call?.sampling?.modelCalls).toBe(10);
      if (isLegacy) {
        expect(sampler.got).toContainEqual(
          expect.objectContaining({ code: -1, data: { reason: 'sampling_calls' } }),
        );
      }
    }
  });

  it('uses up no more than the turn’s limit of cost, however many it asks at once', async () => {
    const opts = { maxCostUsd: 0.02 };
    const { turn, call, end } = await run(
      { params: params('[[tokens=300]]'), times: 10, together: true },
      { opts },
    );
    expect(turn.usage.costUsd).toBeLessThanOrEqual(0.02);
    expect(sampled().length).toBeLessThan(10);
    expect(['completed', 'limited']).toContain(end?.['outcome']);
    if (!isLegacy) return expect(call?.output).toContain('too few money');
    expect(sampler.got).toContainEqual(
      expect.objectContaining({ code: -1, data: { reason: 'cost_budget' } }),
    );
  });

  it('leaves the turn its last model call', async () => {
    const opts = { agentConfig: { max_iterations: 3 } };
    const { end, turn } = await run({ params: params('[[tokens=3]]'), times: 5 }, { opts });
    expect(sampled()).toHaveLength(1);
    expect(server.modelRequests).toHaveLength(3);
    expect(turn.status).toBe('limited');
    expect(end).toMatchObject({ reason: 'max_turns' });
  });

  it('takes tokens of the turn’s budget, and the turn ends at it as it would have', async () => {
    const opts = { agentConfig: { token_budget: 1_500 } };
    const asks = { params: params('[[tokens=290]]'), times: 9 };
    const { turn, call } = await run(asks, { opts });
    expect(turn.status).toMatch(/limited|completed/);
    expect(sampled().length).toBeLessThan(9);
    expect(call?.sampling?.usage.outputTokens).toBeLessThan(1_500);
    const told = isLegacy ? sampler.got.at(-1) : call?.output;
    expect(JSON.stringify(told)).toMatch(/token/);
  });

  it('is cut with its turn, whose usage has what was paid for', async () => {
    const { stream, sessionId, turnId } = await send({
      params: params('[[tokens=200 gap=1]] [[stall=60000]]'),
    });
    await expectSoon(() => expect(sampled()).toHaveLength(1));
    await server.client.post('/api/harness/interrupt', { sessionId });
    const frames = await stream.all();
    expect(frames.find(({ event }) => event === 'turn:end')?.data).toMatchObject({
      outcome: 'interrupted',
    });
    const { turn, call, steps } = await stored(turnId);
    const usage = call?.sampling?.usage;
    expect(usage?.cacheWriteTokens).toBeDefined();
    expect(sum([turn.usage], 'outputTokens')).toBe(
      sum(steps, 'outputTokens') + (usage?.outputTokens ?? NaN),
    );
  });

  it('in a round with a question to a person asks it once, however long the answer takes', async () => {
    if (isLegacy) return;
    const { stream, turnId } = await send({ params: params('[[tokens=5]]'), withPerson: true });
    const { data } = await stream.until('approval:request');
    await stream.until('turn:parked');
    await server.client.post(`/api/harness/approvals/${String(data['approvalId'])}`, {
      decision: 'answer',
      content: { sure: true },
    });
    await stream.all();
    const { turn, call, steps } = await stored(turnId);
    expect(sampled()).toHaveLength(1);
    expect(sampler.got).toMatchObject([{ role: 'assistant' }, { action: 'accept' }]);
    const usage = call?.sampling?.usage;
    expect(turn.usage.costUsd).toBeCloseTo(
      sum([...steps, ...(usage ? [usage] : [])], 'costUsd'),
      9,
    );
  });

  it('has its model calls at no other time than in a call of it', async () => {
    if (!isLegacy) return;
    const { call, turn, steps } = await run({ params: params('[[stall=60000]]'), leaves: true });
    expect(call).toMatchObject({ status: 'success', output: expect.stringContaining('gone on') });
    const used = call?.sampling === undefined ? [] : [call.sampling.usage];
    expect(turn.usage.outputTokens).toBe(sum([...steps, ...used], 'outputTokens'));
    await expectSoon(() => expect(sampler.got).toMatchObject([{ code: expect.any(Number) }]));
  });

  it('leaves nothing reserved of its principal’s day, whatever became of its questions', async () => {
    const [day, ...others] = await server.db.select().from(usageDays);
    const all = await server.db.select({ usage: turns.usage }).from(turns);
    const used = all.reduce((tokens, { usage }) => tokens + tokensOf(usage ?? noUsage), 0);
    expect(others).toEqual([]);
    expect(day).toMatchObject({ tokens: used, reservedTokens: 0, reservedMicroUsd: 0 });
  });

  it('gets nothing that this day has not left', async () => {
    await server.db.update(usageDays).set({ tokens: 170_000 });
    const { call, turn } = await run({ params: params('word '.repeat(30_000)) });
    expect([turn.status, sampled()]).toEqual(['completed', []]);
    expect(call).not.toHaveProperty('sampling');
    if (!isLegacy) return expect(call?.output).toContain('tokens');
    expect(sampler.got).toMatchObject([{ code: -1, data: { reason: 'daily_token_budget' } }]);
  });
});

describe('the official server, over a pipe', () => {
  const program = fileURLToPath(
    import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'),
  );
  const server = useServer(async () => {
    const folder = newFolder();
    const at = (name: string): string => path.join(folder, name);
    const everything = { command: process.execPath, args: [program] };
    const mcpServers = { free: { ...everything, sampling: true }, closed: everything };
    await writeFile(at('mcp.json'), JSON.stringify({ mcpServers }));
    await writeFile(at('rules.yaml'), 'allow: ["mcp__*"]\n');
    return {
      environment: {
        TURNPIKE_MCP_FILE: at('mcp.json'),
        TURNPIKE_PERMISSIONS_FILE: at('rules.yaml'),
      },
    };
  });

  it.each([
    ['free', 'success', 'LLM sampling result'],
    // It offers the tool to clients alone that can be asked.
    ['closed', 'error', 'There is no tool'],
  ])('of the definition %s: %s', async (name, status, said) => {
    const sessionId = await server.client.createSession(server.projectRoot);
    const call = `mcp__${name}__trigger-sampling-request {"prompt":"Hello","maxTokens":50}`;
    const stream = await server.client.turn(sessionId, `[[tool=${call}]]`);
    const result = (await stream.all()).find(({ event }) => event === 'tool:result')?.data;
    expect(result).toMatchObject({ status, output: expect.stringContaining(said) });
    const asked = server.modelRequests.filter(({ body }) => (body.tools ?? []).length === 0);
    expect(asked.map(({ body }) => body.max_tokens)).toEqual(name === 'free' ? [50] : []);
    server.modelRequests.length = 0;
  });
});
