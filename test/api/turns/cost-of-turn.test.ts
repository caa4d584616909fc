import { describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { steps } from '../../../src/storage/transcript-schema.js';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import { parseSamples, valueOf } from '../../support/metrics/scrape.js';
import { runTurnpike } from '../../support/processes/run-turnpike.js';
import { useServer } from '../../support/processes/start-server.js';

interface Step {
  model: string;
  usage: { cacheReadTokens: number; cacheWriteTokens: number };
  cacheMiss?: { tokens: number; cause: string; usd: number };
}

/** Enough that the provider caches it. */
const LONG = `Read this. ${'All work and no play makes a dull day. '.repeat(300)}`;

describe('what the tokens of a turn were for', () => {
  const root = instructionRootWith({ TELLER: ['tools: [glob]'], WRITER: ['tools: [glob]'] });
  const server = useServer({
    environment: {
      TURNPIKE_INSTRUCTION_ROOT: root,
      TURNPIKE_PRICES: 'claude-opus-5-5=4/20,claude-haiku-5-5=1/5',
    },
  });

  async function run(sessionId: string, message: string, opts: object = {}) {
    const turn = await server.client.turn(sessionId, message, {
      opts: { model: 'claude-opus-5-5', ...opts },
    });
    await turn.all();
    const turnId = turn.response.headers.get('x-turn-id') ?? '';
    const { body } = await server.client.get(`/api/harness/turns/${turnId}/steps`);
    return { turnId, steps: body['steps'] as Step[] };
  }
  const open = () => server.client.createSession(server.projectRoot, { persona: 'TELLER' });
  const causes = (of: { steps: Step[] }) => of.steps.map(({ cacheMiss }) => cacheMiss?.cause);

  it('is nothing that was paid twice, while a conversation goes on as it was', async () => {
    const sessionId = await open();
    const first = await run(sessionId, `${LONG} [[tool=glob {"pattern":"*"}]]`);
    const second = await run(sessionId, 'And now?');
    expect([causes(first), causes(second)]).toEqual([[undefined, undefined], [undefined]]);
    const [asked] = second.steps;
    expect(asked).toMatchObject({ model: 'claude-opus-5-5' });
    expect(asked?.usage.cacheReadTokens).toBeGreaterThan(1_000);
  });

  it('is another model, whose cache is its own', async () => {
    const sessionId = await open();
    const [before] = (await run(sessionId, LONG)).steps;
    const {
      turnId,
      steps: [after],
    } = await run(sessionId, 'And now?', { model: 'claude-haiku-5-5' });
    expect(after).toMatchObject({
      model: 'claude-haiku-5-5',
      cacheMiss: { cause: 'model-changed' },
    });
    expect(after?.cacheMiss?.tokens).toBe(before?.usage.cacheWriteTokens);
    const { stdout, stderr } = await runTurnpike(['cost', turnId], {
      environment: { TURNPIKE_URL: server.url },
    });
    expect(stdout).toMatch(/^1 +claude-haiku-5-5 /m);
    expect(stderr).toMatch(
      /^Step 1 missed [\d,]+ tokens: another model was called than before; each has a cache of its own\.$/m,
    );
    const { tokens } = after?.cacheMiss ?? {};
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    const missed = 'turnpike_cache_missed_tokens_total';
    expect(valueOf(parseSamples(metrics), missed, { cause: 'model-changed' })).toBe(tokens);
  });

  it('is an agent with another prompt', async () => {
    const sessionId = await open();
    await run(sessionId, LONG);
    const other = await run(sessionId, '[[tool=glob {"pattern":"*"}]]', { persona: 'WRITER' });
    expect(causes(other)).toEqual(['system-changed', undefined]);
    const stored = await server.db
      .select({ broken: steps.cacheBroken })
      .from(steps)
      .where(eq(steps.turnId, other.turnId))
      .orderBy(steps.step);
    expect(stored.map(({ broken }) => broken)).toEqual(['system', null]);
    expect(causes(await run(sessionId, 'And then?', { persona: 'WRITER' }))).toEqual([undefined]);
  });

  it('is a list of tools that was another', async () => {
    const sessionId = await open();
    await run(sessionId, LONG);
    expect(causes(await run(sessionId, 'Now?', { tools: ['glob', 'read'] }))).toEqual([
      'tools-changed',
    ]);
  });

  it('is time, where nothing had changed', async () => {
    const sessionId = await open();
    const first = await run(sessionId, LONG);
    const long = new Date(Date.now() - 301_000);
    await server.db.update(steps).set({ startedAt: long }).where(eq(steps.turnId, first.turnId));
    // The rehearsal's cache does not know that the time was changed: what it would have reported is stored.
    const second = await run(sessionId, 'And now?');
    const [step] = second.steps;
    const usage = { ...step?.usage, cacheReadTokens: 0, inputTokens: 5_000, outputTokens: 1 };
    await server.db
      .update(steps)
      .set({ usage: { cacheWriteTokens: 0, ...usage } })
      .where(eq(steps.turnId, second.turnId));
    const { body } = await server.client.get(`/api/harness/turns/${second.turnId}/steps`);
    expect(causes({ steps: body['steps'] as Step[] })).toEqual(['expired']);
  });
});
