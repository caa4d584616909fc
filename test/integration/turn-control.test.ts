import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import * as fc from 'fast-check';
import type { TurnEvent } from '../../src/events/turn-event.js';
import { costOf, tokensOf } from '../../src/governance/limits/cost.js';
import {
  type DecisionTree,
  DefaultDecisionTree,
} from '../../src/governance/decision-tree/decision-trees.js';
import type { RehearsalRequest } from '../../rehearsal/request-types.js';
import { turns, compactions } from '../../src/storage/schema.js';
import { MemoryTurnQueue } from '../../src/turn/queue/turn-queue.js';
import { contextTokens } from '../../src/events/turn-event.js';
import { addedTokens } from '../../src/turn/state/turn-state.js';
import { useDatabase } from '../support/database/database.js';
import { instructionRootWith } from '../support/agents/instruction-root.js';
import { openTestServices, type TestServices } from '../support/turn/turn-services.js';
import { readTurn } from '../support/turn/read-turn.js';
import { submit, newSession } from '../support/turn/submit.js';

type Of<T extends TurnEvent['type']> = Extract<TurnEvent, { type: T }>;

describe('the control of a turn', () => {
  const database = useDatabase();

  let test: TestServices;
  let failing: number;
  beforeEach(async () => {
    await database.db.delete(turns);
    const look = (name: string, fails: boolean) => ({
      name,
      description: 'Looks.',
      inputSchema: { type: 'object' },
      effect: 'read' as const,
      retry: 'safe' as const,
      open: () => ({
        run: async (input: object) => {
          if (fails && (failing += 1) > 0) throw new Error('no');
          return JSON.stringify(input);
        },
      }),
    });
    failing = 0;
    test = await openTestServices(database, [look('look', false), look('fail', true)]);
  });
  afterEach(() => test.close());

  const send = async (message: string, more: object, persona = 'WORKING_ITEMS') => {
    const sessionId = await newSession(test, { persona });
    const opts = { tools: ['look', 'fail'], onDisconnect: 'continue', ...more };
    return (await submit(test, message, opts, { sessionId })).turnId;
  };
  const readAll = (turnId: string): Promise<TurnEvent[]> =>
    readTurn(test.services.follower, turnId);
  const of = <T extends TurnEvent['type']>(events: readonly TurnEvent[], type: T): Of<T>[] =>
    events.filter((event): event is Of<T> => event.type === type);
  const noticesOf = (events: readonly TurnEvent[]) =>
    of(events, 'notice.posted').map(({ kind }) => kind);

  it('exceeds no limit and has one end, whatever model and tools do', async () => {
    await test.startWorker();
    const anyDirective = fc.oneof(
      fc.integer({ min: 1, max: 9 }).map((n) => `[[loop=${n} tool=look {"n":"$i"}]]`),
      fc.integer({ min: 1, max: 9 }).map((n) => `[[loop=${n} tool=look {}]]`),
      fc.integer({ min: 1, max: 4 }).map((n) => `[[loop=${n} tool=fail {"n":"$i"}]]`),
      fc.integer({ min: 1, max: 9 }).map((n) => '[[tool=look {}]] '.repeat(n)),
      fc.integer({ min: 1, max: 3_000 }).map((n) => `[[tokens=${n}]]`),
      fc.constantFrom('[[stop=max_tokens]]', '[[fail=400]]', '[[fail=529 after=3]]', 'Hello'),
    );
    const anyConfig = fc.record({
      max_iterations: fc.integer({ min: 1, max: 8 }),
      token_budget: fc.integer({ min: 1_000, max: 9_000 }),
      max_tool_calls_per_turn: fc.integer({ min: 1, max: 5 }),
      max_parallel_tools: fc.integer({ min: 1, max: 3 }),
    });
    const anyTurn = fc.tuple(fc.array(anyDirective, { minLength: 1, maxLength: 2 }), anyConfig);
    await fc.assert(
      fc.asyncProperty(anyTurn, async ([directives, agentConfig]) => {
        const events = await readAll(await send(directives.join(' '), { agentConfig }));
        const ends = of(events, 'turn.ended');
        expect([ends.length, events.at(-1)?.type]).toEqual([1, 'turn.ended']);
        const [end] = ends;
        // A step whose call failed is started again.
        const started = new Set(of(events, 'step.started').map(({ step }) => step)).size;
        expect(started).toBeLessThanOrEqual(agentConfig.max_iterations);
        expect(addedTokens(end?.usage ?? { ...none })).toBeLessThanOrEqual(
          agentConfig.token_budget,
        );
        const ran = of(events, 'tool.started').length;
        expect(ran).toBeLessThanOrEqual(started * agentConfig.max_tool_calls_per_turn);
        // Every call has one result.
        const asked = of(events, 'tool.requested').map(({ callId }) => callId);
        const answered = of(events, 'tool.ended').map(({ callId }) => callId);
        if (end?.outcome !== 'failed') expect(answered.sort()).toEqual(asked.sort());
        const marks = noticesOf(events);
        expect(
          new Set(marks.filter((kind) => kind.endsWith('-limit') && kind !== 'tool-limit')).size,
        ).toBe(marks.filter((kind) => kind.endsWith('-limit') && kind !== 'tool-limit').length);
      }),
      { numRuns: 40 },
    );
  });

  const none = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

  it.each(['claude-opus-4-8', 'claude-sonnet-4-6'])(
    'sends %s what it was sent before to the letter, step after step, notice or not',
    async (model) => {
      await test.startWorker();
      const opts = { model, agentConfig: { max_iterations: 8 } };
      const events = await readAll(await send('[[loop=6 tool=look {"n":"$i"}]]', opts));
      expect(noticesOf(events)).toEqual(['iteration-limit']);
      expect(test.modelRequests).toHaveLength(7);
      for (const [index, request] of test.modelRequests.entries()) {
        const next = test.modelRequests[index + 1];
        if (next !== undefined) expectPrefix(request, next);
      }
      const last = JSON.stringify(test.modelRequests.at(-1));
      const marker = model === 'claude-opus-4-8' ? '"role":"system"' : '<system_message type=';
      expect(last).toContain(marker);
    },
  );

  it('sends the same again after a crash, and says no notice twice', async () => {
    const { services, modelRequests } = test;
    const first = await test.startWorker();
    const message = '[[loop=5 tool=look {"n":"$i"}]] [[tokens=20 gap=20]]';
    const turnId = await send(message, { agentConfig: { max_iterations: 7 } });
    // Each step streams for 400 ms: the worker stops in the last, and its successor begins it
    // again.
    while (modelRequests.length < 6) await new Promise((resolve) => setImmediate(resolve));
    await first.stop();
    services.queue = new MemoryTurnQueue((error) => test.workerErrors.push(error));
    await test.startWorker();
    await services.queue.wake();
    const events = await readAll(turnId);
    expect(of(events, 'turn.recovering')).toHaveLength(1);
    expect(noticesOf(events)).toEqual(['iteration-limit']);
    const [before, after] = modelRequests.slice(-2);
    expect(JSON.stringify(after)).toBe(JSON.stringify(before));
  });

  it('holds a limit of cost by the price of the model', async () => {
    await test.startWorker();
    const events = await readAll(await send('[[tokens=4000]]', { maxCostUsd: 0.01 }));
    const [end] = of(events, 'turn.ended');
    expect(end).toMatchObject({ outcome: 'limited', reason: 'cost_budget' });
    const price = { input: 3, output: 15 };
    expect(costOf(end?.usage ?? none, price)).toBeLessThanOrEqual(0.01);
    expect(end?.text).toContain(
      '[Stopped: what is left of the limit of $0.01 is not enough for another reply.',
    );
  });

  it('ends a turn when its session has no tokens left', async () => {
    test.config.sessionTokens = 1_500;
    await test.startWorker();
    const sessionId = await newSession(test);
    const opts = { tools: [], onDisconnect: 'continue' };
    const say = async (message: string) =>
      readAll((await submit(test, message, opts, { sessionId })).turnId);
    const first = of(await say('[[tokens=50]]'), 'turn.ended');
    expect(first).toMatchObject([{ outcome: 'completed' }]);
    const rest = of(await say('[[tokens=3000]]'), 'turn.ended');
    expect(rest).toMatchObject([{ outcome: 'limited', reason: 'token_budget' }]);
    const used = [...first, ...rest].reduce((sum, { usage }) => sum + tokensOf(usage), 0);
    expect(used).toBeLessThanOrEqual(1_500);
  });

  describe('over a conversation that fills the window', () => {
    /** A model with a window that a few turns fill to three percent. */
    const small = { model: 'claude-haiku-4-5' };
    const long = 'word '.repeat(5_000);
    const startWorker = async () => {
      test.config.compactPercent = 3;
      await test.startWorker();
    };
    const talk = async (turnsBefore: number, lastOpts: object = {}) => {
      const sessionId = await newSession(test);
      let events: TurnEvent[] = [];
      for (let turn = 0; turn <= turnsBefore; turn += 1) {
        const isLast = turn === turnsBefore;
        const message = isLast ? 'Last' : `Question ${turn}: ${long}`;
        const always = { ...small, tools: [], onDisconnect: 'continue' };
        const opts = { ...always, ...(isLast ? lastOpts : {}) };
        events = await readAll((await submit(test, message, opts, { sessionId })).turnId);
      }
      return events;
    };
    const lastMessages = () => JSON.stringify(test.modelRequests.at(-1)?.body.messages);

    it('has it summarised first, all but the last turn, and tells the model once', async () => {
      await startWorker();
      const events = await talk(2);
      expect(of(events, 'turn.ended')).toMatchObject([{ outcome: 'completed' }]);
      expect(noticesOf(events)).toEqual(['compact-summary']);
      expect(lastMessages()).not.toContain('Question 0');
      expect(lastMessages()).toContain('Question 1');
      expect(lastMessages()).toContain('What came before in this conversation, in short:');
    });

    it('charges the summary to the turn', async () => {
      await startWorker();
      const events = await talk(2, { agentConfig: { token_budget: 40_000 }, maxCostUsd: 0.5 });
      const [end] = of(events, 'turn.ended');
      const [started] = of(events, 'turn.started');
      const [summary] = await database.db
        .select({ usage: compactions.usage })
        .from(compactions)
        .where(eq(compactions.sessionId, started?.sessionId ?? ''));
      // The provider's cache has the conversation before it.
      expect(contextTokens(summary?.usage ?? none)).toBeGreaterThan(5_000);
      const spent = [summary?.usage, ...of(events, 'step.ended').map(({ usage }) => usage)];
      const sum = spent.reduce<number>((all, usage) => all + tokensOf(usage ?? none), 0);
      expect(tokensOf(end?.usage ?? none)).toBe(sum);
    });

    it.each([
      ["session's token budget", 24_000, {}],
      ["turn's limit of cost", 0, { maxCostUsd: 0.05 }],
    ])('makes no summary that the %s does not pay for, and says so', async (name, most, opts) => {
      test.config.sessionTokens = most;
      await startWorker();
      const events = await talk(2, opts);
      expect(of(events, 'notice.posted')).toMatchObject([
        { kind: 'compaction-failed', text: expect.stringContaining(`the ${name} does not`) },
      ]);
      // A budget below the price of a summary pays for a reply.
      expect(lastMessages()).toContain('Question 0');
      expect(of(events, 'turn.ended')).toMatchObject([{ outcome: 'completed' }]);
    });

    it('exceeds no limit, with a summary or without', async () => {
      await startWorker();
      const anyOpts = fc.record({
        token_budget: fc.integer({ min: 1_000, max: 60_000 }),
        maxCostUsd: fc.integer({ min: 10, max: 300 }).map((n) => n / 1_000),
      });
      await fc.assert(
        fc.asyncProperty(anyOpts, async ({ token_budget, maxCostUsd }) => {
          const events = await talk(2, { agentConfig: { token_budget }, maxCostUsd });
          const usage = of(events, 'turn.ended')[0]?.usage ?? none;
          expect(addedTokens(usage)).toBeLessThanOrEqual(token_budget);
          expect(costOf(usage, { input: 3, output: 15 })).toBeLessThanOrEqual(maxCostUsd);
          const isShort = noticesOf(events).includes('compaction-failed');
          expect(noticesOf(events).includes('compact-summary')).not.toBe(isShort);
        }),
        { numRuns: 15 },
      );
    });

    it('cuts the old outputs of a long turn, and only of that', async () => {
      test.config.compactPercent = 3;
      await test.startWorker();
      const filler = 'word '.repeat(500);
      const events = await readAll(
        await send(`[[loop=12 tool=look {"n":"$i","filler":"${filler}"}]]`, {
          ...small,
          maxTurns: 20,
        }),
      );
      expect(of(events, 'turn.ended')).toMatchObject([{ outcome: 'completed' }]);
      const last = lastMessages();
      const results = last.split('"tool_result"').slice(1);
      expect(results).toHaveLength(12);
      expect(results[0]).toContain('characters elided to save context');
      expect(results.at(-1)).not.toContain('elided');
    });

    it('goes on with old outputs cut where no summary comes', async () => {
      const { provider } = test.services;
      const stream = provider.stream.bind(provider);
      // The provider refuses requests for a summary, as if it were overloaded.
      provider.stream = (request, signal) =>
        JSON.stringify(request.messages.at(-1)).includes('Summarise the conversation')
          ? stream({ ...request, maxTokens: -1 }, signal)
          : stream(request, signal);
      await startWorker();
      const events = await talk(2);
      expect(of(events, 'turn.ended')).toMatchObject([{ outcome: 'completed' }]);
      expect(noticesOf(events)).toEqual(['compaction-failed']);
      expect(lastMessages()).toContain('Question 0');
    });
  });

  it('is a persona’s own where it names a decision tree: the loop does not change', async () => {
    class TwoLooks implements DecisionTree {
      readonly #rest: DefaultDecisionTree;
      constructor(config: ReturnType<DecisionTree['getConfig']>) {
        this.#rest = new DefaultDecisionTree(config);
      }
      shouldContinue(state: Parameters<DecisionTree['shouldContinue']>[0]) {
        if (state.extensions['looks'] === 2) {
          return { shouldContinue: false, reason: 'no_progress' as const };
        }
        return this.#rest.shouldContinue(state);
      }
      onTurnStart(state: Parameters<DecisionTree['onTurnStart']>[0]) {
        return this.#rest.onTurnStart(state);
      }
      onToolResult(...given: Parameters<DecisionTree['onToolResult']>) {
        const [state] = given;
        const looks = Number(state.extensions['looks'] ?? 0) + 1;
        return { ...this.#rest.onToolResult(...given), extensions: { looks } };
      }
      getConfig() {
        return this.#rest.getConfig();
      }
    }
    test.services.trees.register('two-looks', (config) => new TwoLooks(config));
    const root = instructionRootWith({
      BRIEF: ['decision_tree: two-looks'],
      ODD: ['decision_tree: none'],
    });
    await test.useInstructions(root);
    await test.startWorker();
    const events = await readAll(await send('[[loop=9 tool=look {"n":"$i"}]]', {}, 'BRIEF'));
    expect(of(events, 'step.started')).toHaveLength(2);
    expect(of(events, 'turn.ended')).toMatchObject([{ outcome: 'limited', reason: 'no_progress' }]);
    await expect(send('Hello', {}, 'ODD')).rejects.toMatchObject({
      type: 'DECISION_TREE_NOT_FOUND',
      message: expect.stringContaining('two-looks'),
    });
  });
});

/** The marks for the provider's cache are no part of what it caches. */
function withoutMarks(body: RehearsalRequest['body']): RehearsalRequest['body'] {
  const text = JSON.stringify(body, (key, value: unknown) =>
    key === 'cache_control' ? undefined : value,
  );
  return JSON.parse(text) as RehearsalRequest['body'];
}

/** Expects the next request to begin with this one, byte for byte. */
function expectPrefix(request: RehearsalRequest, next: RehearsalRequest): void {
  const { messages, ...rest } = withoutMarks(request.body);
  const { messages: more, ...others } = withoutMarks(next.body);
  expect(JSON.stringify(others)).toBe(JSON.stringify(rest));
  expect(more.length).toBeGreaterThan(messages.length);
  expect(JSON.stringify(more.slice(0, messages.length))).toBe(JSON.stringify(messages));
}
