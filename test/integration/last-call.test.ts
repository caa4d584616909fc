import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { noUsage, type TurnEvent } from '../../src/events/turn-event.js';
import { turns } from '../../src/storage/schema.js';
import { MemoryTurnQueue } from '../../src/turn/queue/turn-queue.js';
import { contextTokens } from '../../src/events/turn-event.js';
import { useDatabase } from '../support/database/database.js';
import { openTestServices, type TestServices } from '../support/turn/turn-services.js';
import { readTurn } from '../support/turn/read-turn.js';
import { useShared } from '../support/suite.js';
import { submit, newSession } from '../support/turn/submit.js';

type Of<T extends TurnEvent['type']> = Extract<TurnEvent, { type: T }>;

/** A script for the rehearsal: an unknown number of tool calls, then text. */
const looks = (times: number, size = 1) =>
  `[[loop=${times} tool=look {"n":"$i","size":${size}}]] [[tokens=20]]`;

describe('the last call of a turn', () => {
  let test: TestServices;
  let sessionId: string;
  const database = useDatabase();
  beforeEach(async () => {
    await database.db.delete(turns);
    const look = {
      name: 'look',
      description: 'Looks.',
      inputSchema: { type: 'object' },
      effect: 'read' as const,
      retry: 'safe' as const,
      open: () => ({
        run: async (input: object) => {
          const { n, size } = input as { n: string; size: number };
          return `${n} `.repeat(size);
        },
      }),
    };
    const fail = {
      ...look,
      name: 'fail',
      open: () => ({
        run: async () => {
          throw new Error('no such file.');
        },
      }),
    };
    test = await openTestServices(database, [look, fail]);
    sessionId = await newSession(test);
    await test.startWorker();
  });
  afterEach(() => test.close());

  const readAll = (turnId: string): Promise<TurnEvent[]> =>
    readTurn(test.services.follower, turnId);
  const send = async (message: string, agentConfig: object, more: object = {}) => {
    const tools = ['look', 'fail'];
    const opts = { tools, onDisconnect: 'continue', agentConfig, ...more };
    return (await submit(test, message, opts, { sessionId })).turnId;
  };
  const run = async (...args: Parameters<typeof send>) => readAll(await send(...args));
  const of = <T extends TurnEvent['type']>(events: readonly TurnEvent[], type: T): Of<T>[] =>
    events.filter((event): event is Of<T> => event.type === type);
  const choices = () =>
    test.modelRequests.map(({ body }) => (body as { tool_choice?: object }).tool_choice);
  const none = { type: 'none' };

  it('is the last iteration, has the same tools and may call none, and answers', async () => {
    const events = await run(looks(3), { max_iterations: 4 });
    expect(choices()).toEqual([undefined, undefined, undefined, none]);
    const tools = test.modelRequests.map(({ body }) => JSON.stringify(body.tools));
    expect(new Set(tools).size).toBe(1);
    const [end] = of(events, 'turn.ended');
    expect(end).toMatchObject({ outcome: 'limited', reason: 'max_turns' });
    expect(end?.text).toMatch(
      /\S+.*\n\n\[Stopped: the limit of 4 iterations was reached\. What was found so far is above\.\]$/s,
    );
    expect(of(events, 'notice.posted')).toMatchObject([
      { kind: 'iteration-limit', seenByModel: true },
      { kind: 'limit-reached', seenByModel: true, metadata: { current_value: 4, percent: 100 } },
    ]);
    expect(JSON.stringify(test.modelRequests.at(-1)?.body.messages)).toContain(
      'answer now with what you have',
    );
  });

  it('answers where the model would have gone on for ever', async () => {
    const events = await run(looks(9), { max_iterations: 3 });
    expect(of(events, 'tool.requested')).toHaveLength(2);
    expect(of(events, 'turn.ended')[0]?.text).not.toContain('There is no answer yet');
    expect(of(events, 'turn.ended')).toMatchObject([{ outcome: 'limited', reason: 'max_turns' }]);
  });

  it('of one iteration is none: the model may call tools in it', async () => {
    const events = await run(looks(1), { max_iterations: 1 });
    expect(choices()).toEqual([undefined]);
    expect(of(events, 'turn.ended')).toMatchObject([{ outcome: 'limited', reason: 'max_turns' }]);
  });

  it('comes before the token budget is used up, after a warning, and stays inside it', async () => {
    const events = await run(looks(12, 400), { token_budget: 5_000 });
    const [end] = of(events, 'turn.ended');
    expect(end).toMatchObject({ outcome: 'limited', reason: 'token_budget' });
    const kinds = of(events, 'notice.posted').map(({ kind, seenByModel }) => [kind, seenByModel]);
    expect(kinds).toContainEqual(['token-limit', true]);
    expect(kinds.at(-1)).toEqual(['limit-reached', true]);
    expect(choices().at(-1)).toEqual(none);
    expect(end?.usage.addedTokens).toBeLessThanOrEqual(5_000);
    expect(end?.usage.addedTokens).toBeGreaterThan(4_000);
  });

  it('is had after one result that is larger than the whole budget', async () => {
    const events = await run(looks(1, 9_000), { token_budget: 2_000 });
    expect(of(events, 'tool.ended')[0]?.output).toContain('[output cut:');
    expect(of(events, 'turn.ended')[0]?.text).not.toContain('There is no answer yet');
    expect(of(events, 'turn.ended')[0]?.usage.addedTokens).toBeLessThanOrEqual(2_000);
  });

  it('is the same for another worker, and said once', async () => {
    const { services, modelRequests } = test;
    await test.drain();
    services.queue = new MemoryTurnQueue(() => undefined);
    const first = await test.startWorker();
    const turnId = await send('[[loop=2 tool=look {"n":"$i"}]] [[tokens=30 gap=20]]', {
      max_iterations: 3,
    });
    await services.queue.wake();
    while (modelRequests.length < 3) await new Promise((resolve) => setImmediate(resolve));
    await first.stop();
    services.queue = new MemoryTurnQueue(() => undefined);
    await test.startWorker();
    await services.queue.wake();
    const events = await readAll(turnId);
    expect(of(events, 'turn.recovering')).toHaveLength(1);
    expect(of(events, 'notice.posted').filter(({ kind }) => kind === 'limit-reached')).toHaveLength(
      1,
    );
    const [before, after] = modelRequests.slice(-2);
    expect(JSON.stringify(after)).toBe(JSON.stringify(before));
    expect(of(events, 'turn.ended')).toMatchObject([{ outcome: 'limited', reason: 'max_turns' }]);
  });

  it('does not come after three calls side by side failed before the model saw one', async () => {
    const events = await run(
      '[[tool=fail {"n":1}]] [[tool=fail {"n":2}]] [[tool=fail {"n":3}]]',
      {},
    );
    expect(test.modelRequests).toHaveLength(2);
    expect(of(events, 'turn.ended')).toMatchObject([{ outcome: 'completed' }]);
    expect(of(events, 'notice.posted')).toMatchObject([
      { kind: 'error-streak', metadata: { error_count: 3 }, seenByModel: true },
    ]);
  });
});

describe('a turn’s token budget', () => {
  const database = useDatabase();
  const test = useShared(() => openTestServices(database, []));
  beforeAll(async () => {
    await test.startWorker();
  });

  const ask = async (sessionId: string, message: string, token_budget: number) => {
    const agentConfig = { token_budget };
    const opts = { tools: [], onDisconnect: 'continue', agentConfig };
    const { turnId } = await submit(test, message, opts, { sessionId });
    const seen = await readTurn(test.services.follower, turnId);
    return seen.find((event): event is Of<'turn.ended'> => event.type === 'turn.ended');
  };

  it('ends none of fifty questions in one conversation', async () => {
    const sessionId = await newSession(test);
    const question = `${'What of it is worth keeping, and why? '.repeat(150)} [[tokens=400]]`;
    let paid = 0;
    for (let asked = 1; asked <= 50; asked += 1) {
      const end = await ask(sessionId, question, 50_000);
      expect([asked, end?.outcome, end?.reason]).toEqual([asked, 'completed', 'end_turn']);
      expect(end?.usage.addedTokens).toBeLessThan(5_000);
      paid = contextTokens(end?.usage ?? noUsage);
    }
    // History that is sent again exceeds the budget: it counts for the session, not for the turn.
    expect(paid).toBeGreaterThan(50_000);
  });

  it('of a thousand makes a call, and holds', async () => {
    const sessionId = await newSession(test);
    expect(await ask(sessionId, 'Hello', 1_000)).toMatchObject({ outcome: 'completed' });
    const long = await ask(sessionId, '[[tokens=4000]]', 1_000);
    expect(long).toMatchObject({ outcome: 'limited', reason: 'token_budget' });
    expect(long?.usage.addedTokens).toBeLessThanOrEqual(1_000);
    expect(long?.usage.outputTokens).toBeGreaterThan(800);
  });

  it('says by how much a message alone is too large', async () => {
    const end = await ask(await newSession(test), 'word '.repeat(2_000), 1_000);
    expect(end).toMatchObject({ outcome: 'limited', reason: 'token_budget' });
    expect(end?.text).toBe(
      '[Stopped: the budget of 1,000 tokens was used up. There is no answer yet.]',
    );
  });
});
