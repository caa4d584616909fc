import type { TurnParts } from '../support/turn/turn-parts.js';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import * as fc from 'fast-check';
import { loadArchive } from '../../src/events/archive.js';
import { FencedError } from '../../src/events/event-log.js';
import { foldTurnEvents } from '../support/turn/fold-turn.js';
import { noUsage, type TurnEvent } from '../../src/events/turn-event.js';
import { steeredMessages } from '../../src/storage/governance-schema.js';
import { steps, toolCalls } from '../../src/storage/transcript-schema.js';
import { turns } from '../../src/storage/schema.js';
import { ToolRegistry } from '../../src/tools/registry.js';
import type { ToolDefinition } from '../../src/tools/tool.js';
import { MemoryTurnQueue } from '../../src/turn/queue/turn-queue.js';
import { TurnClaims } from '../../src/turn/queue/turn-claims.js';
import { getTurn } from '../../src/turn/state/turn-row.js';
import type { TurnWorker } from '../../src/turn/worker/turn-worker.js';
import { useDatabase } from '../support/database/database.js';
import { HeldTool } from '../support/turn/held-tool.js';
import { ManualClock } from '../support/manual-clock.js';
import { openTestServices, type TestServices } from '../support/turn/turn-services.js';
import { readTurn } from '../support/turn/read-turn.js';
import { submit, newSession } from '../support/turn/submit.js';

describe('a turn that another worker takes over', () => {
  const database = useDatabase();

  let clock: ManualClock;
  let test: TestServices;
  let workers: { worker: Promise<TurnWorker>; queue: MemoryTurnQueue }[];
  let tools: HeldTool[];
  beforeEach(async () => {
    await database.db.delete(turns);
    clock = new ManualClock();
    workers = [];
    tools = [];
  });
  afterEach(async () => {
    for (const tool of tools) tool.finishAll();
    await test.close();
  });

  async function open(held: HeldTool[], more: ToolDefinition[] = []): Promise<void> {
    tools = held;
    const definitions = [...held.map((tool) => tool.definition), ...more];
    test = await openTestServices(database, definitions, { clock });
  }

  const claims = (): TurnClaims => new TurnClaims(test.services.db, test.config);

  /** Starts a worker with a queue of its own, as on a host of its own. */
  function newWorker(own: Partial<TurnParts> = {}) {
    const queue = new MemoryTurnQueue((error) => test.workerErrors.push(error));
    const worker = test.startWorker({ ...own, queue });
    const started = { worker, queue };
    workers.push(started);
    return started;
  }

  async function send(message: string, tools: string[]): Promise<string> {
    const sessionId = await newSession(test, { mode: 'acceptEdits' });
    return (await submit(test, message, { tools, maxTurns: 6 }, { sessionId })).turnId;
  }

  /** Ends the lease, as a long pause does: the worker that has the turn does not know yet. */
  async function lapse(turnId: string): Promise<void> {
    const lapsed = { leaseUntil: new Date(0) };
    await test.services.db.update(turns).set(lapsed).where(eq(turns.id, turnId));
  }

  function follow(turnId: string, see?: (seen: readonly TurnEvent[]) => Promise<void>) {
    return readTurn(test.services.follower, turnId, async (seen) => {
      await see?.(seen);
      return false;
    });
  }

  const typesOf = (events: readonly TurnEvent[]): string[] => events.map((event) => event.type);

  it('keeps its live log when the worker it was taken from leaves', async () => {
    const tool = new HeldTool('deploy', { effect: 'edit', retry: 'never' });
    await open([tool]);
    const { services } = test;
    const first = newWorker();
    const turnId = await send('[[tool=deploy {}]] [[stall=10000 step=2]]', ['deploy']);
    await first.queue.wake();
    const call = await tool.call(1);
    await lapse(turnId);
    await newWorker().queue.wake();
    const following = follow(turnId, async (seen) => {
      if (seen.at(-1)?.type !== 'text.delta') return;
      // The successor streams. The zombie's writes are refused, and it leaves the turn.
      call.finish();
      await test.drain([await first.worker]);
      const before = await services.log.read(turnId);
      await clock.advance(120_000);
      expect(await services.log.read(turnId)).toEqual(before);
      await expect(services.log.append(turnId, 1, before.slice(0, 1))).rejects.toThrow(FencedError);
      await services.canceller.cancel(turnId, 'interrupt');
    });
    const seen = await following;
    expect(typesOf(seen).filter((type) => type === 'tool.ended')).toHaveLength(1);
    expect(seen.at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'interrupted', attempt: 2 });
  });

  it('is left to its next attempt when it is taken over just before its end is stored', async () => {
    const stolen = { attempt: 2, leaseUntil: new Date(0) };
    const deploy: ToolDefinition = {
      name: 'deploy',
      description: 'Loses its turn in the moment in which it is told to end.',
      inputSchema: { type: 'object' },
      effect: 'edit',
      retry: 'never',
      open: () => ({
        run: async (_input, { signal }) => {
          await once(signal, 'abort');
          // The update is one statement, issued before the one that ends the turn.
          await test.services.db.update(turns).set(stolen).where(eq(turns.id, turnId));
          await newWorker().queue.wake();
          return 'late';
        },
      }),
    };
    await open([], [deploy]);
    const first = newWorker();
    const turnId = await send('[[tool=deploy {}]]', ['deploy']);
    await first.queue.wake();
    const seen = await follow(turnId, async (events) => {
      if (events.at(-1)?.type !== 'tool.started') return;
      await test.services.canceller.cancel(turnId, 'interrupt');
    });
    await test.drain([await first.worker]);
    expect(seen.at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'interrupted', attempt: 3 });
    expect(test.workerErrors).toEqual([]);
  });

  it.each(['safe', 'idempotent'] as const)(
    'runs a lost call of a tool that is %s again, under the same id',
    async (retry) => {
      const tool = new HeldTool('sync', { effect: 'edit', retry });
      await open([tool]);
      const turnId = await send('[[tool=sync {}]]', ['sync']);
      await newWorker().queue.wake();
      const lost = await tool.call(1);
      await lapse(turnId);
      await newWorker().queue.wake();
      const again = await tool.call(2);
      expect(again.callId).toBe(lost.callId);
      again.finish();
      const seen = await follow(turnId);
      const toolEvents = seen.filter((event) => event.type.startsWith('tool.'));
      expect(typesOf(toolEvents)).toEqual(['tool.requested', 'tool.started', 'tool.ended']);
      expect(toolEvents.at(-1)).toMatchObject({
        status: 'success',
        output: 'sync is done',
        attempt: 2,
      });
      lost.finish();
      for (const { worker } of workers.slice(0, 1)) await test.drain([await worker]);
      const ledger = await test.services.db.select().from(toolCalls);
      expect(ledger).toEqual([
        expect.objectContaining({ callId: lost.callId, status: 'success', output: 'sync is done' }),
      ]);
    },
  );

  it('runs no lost call of a tool that is gone since: nobody knows what it did', async () => {
    const tool = new HeldTool('deploy', { effect: 'edit', retry: 'safe' });
    await open([tool]);
    const turnId = await send('[[tool=deploy {}]]', ['deploy']);
    await newWorker().queue.wake();
    await tool.call(1);
    await lapse(turnId);
    await newWorker({ tools: new ToolRegistry() }).queue.wake();
    const seen = await follow(turnId);
    expect(seen.find((event) => event.type === 'tool.ended')).toMatchObject({ status: 'unknown' });
  });

  it('answers a message that was delivered to a call its attempt did not live to make', async () => {
    await open([]);
    const { db } = test.services;
    const turnId = await send('[[tokens=2]]', []);
    const { sessionId } = await getTurn(db, turnId);
    const now = new Date();
    await db
      .update(turns)
      .set({ status: 'running', attempt: 1, startedAt: now, steeredMessages: 1 })
      .where(eq(turns.id, turnId));
    await db.insert(steps).values({
      turnId,
      step: 1,
      attempt: 1,
      parts: [{ type: 'text', text: 'word1 word2' }],
      stopReason: 'end_turn',
      usage: noUsage,
      startedAt: now,
      endedAt: now,
    });
    await db.insert(steeredMessages).values({
      id: 'msg_1',
      sessionId,
      turnId,
      position: 1,
      text: '[[tokens=3]]',
      requestHash: '',
      afterStep: 1,
      createdAt: now,
    });
    await newWorker().queue.wake();
    const seen = await follow(turnId);
    expect(seen.at(-1)).toMatchObject({ outcome: 'completed' });
    expect(seen).toContainEqual(expect.objectContaining({ type: 'step.ended', step: 2 }));
  });

  it('ends at its deadline in a stream that stalls, with what was said', async () => {
    await open([]);
    const turnId = await send('[[tokens=50]] [[stall=60000]]', []);
    await newWorker().queue.wake();
    const { turnTimeoutMs } = test.config;
    let isLate = false;
    const seen = await follow(turnId, async (events) => {
      if (isLate || events.at(-1)?.type !== 'text.delta') return;
      isLate = true;
      await clock.advance(turnTimeoutMs);
    });
    const streamed = seen.flatMap((event) => (event.type === 'text.delta' ? [event.text] : []));
    expect(seen.at(-1)).toMatchObject({
      outcome: 'limited',
      reason: 'timeout',
      exitCode: 0,
      text: streamed.join(''),
    });
    const end = ['step.ended', 'notice.posted', 'text.delta', 'turn.ended'];
    expect(typesOf(seen).slice(-4)).toEqual(end);
  });

  it('is given time to end by a worker that stops, and handed back after that', async () => {
    const tool = new HeldTool('look', { effect: 'read', retry: 'safe' });
    await open([tool]);
    test.config.drainMs = 5_000;
    const first = newWorker();
    await send('[[tool=look {}]]', ['look']);
    await first.queue.wake();
    const call = await tool.call(1);
    const stopping = (await first.worker).stop();
    await clock.advance(4_999);
    expect(call.signal.aborted).toBe(false);
    await clock.advance(1);
    await stopping;
    expect(call.signal.reason).toMatchObject({ reason: 'shutdown' });
    expect(await claims().claimable(0)).toBe(1);
  });

  it('has one end, and an archive that tells what readers saw, wherever it is taken', async () => {
    const runs = new Map<string, number>();
    const counting = (name: string, retry: 'safe' | 'never'): ToolDefinition => ({
      name,
      description: 'Counts its runs.',
      inputSchema: { type: 'object' },
      effect: retry === 'safe' ? 'read' : 'edit',
      retry,
      open: () => ({
        run: async (_input, { callId }) => {
          if (retry === 'never') runs.set(callId, (runs.get(callId) ?? 0) + 1);
          return 'counted';
        },
      }),
    });
    await open([], [counting('deploy', 'never'), counting('look', 'safe')]);
    // The backoff before a retry is by a clock that stands still here.
    test.config.overloadRetries = 0;
    const parts = fc.constantFrom(
      '[[tokens=12 gap=4]]',
      '[[think=3]]',
      '[[cite]]',
      '[[tool=deploy {}]]',
      '[[tool=look {}]]',
      '[[loop=3 tool=deploy {"n":"$i"}]]',
      '[[loop=2 tool=look {"n":"$i"}]]',
      '[[stop=max_tokens step=2]]',
      '[[fail=529 after=6 step=2]]',
      '[[drop after=3 step=2]]',
    );
    const scripts = fc.uniqueArray(parts, { minLength: 1, maxLength: 4 });
    const moments = fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(scripts, moments, async (script, crashes) => {
        const firstOfRun = workers.length;
        const turnId = await send(script.join(' '), ['deploy', 'look']);
        await newWorker().queue.wake();
        const left = [...crashes].sort((a, b) => a - b);
        const seen = await follow(turnId, async (events) => {
          if (events.length < (left[0] ?? Infinity)) return;
          left.shift();
          await lapse(turnId);
          await newWorker().queue.wake();
        });
        const ofRun = workers.slice(firstOfRun).map(({ worker }) => worker);
        await test.drain(await Promise.all(ofRun));
        expectWhole(seen, await loadArchive(test.services.db, turnId));
        expect(Math.max(0, ...runs.values())).toBeLessThanOrEqual(1);
        const [turn] = await test.services.db.select().from(turns).where(eq(turns.id, turnId));
        expect(seen.at(-1)).toMatchObject({ outcome: turn?.status, attempt: turn?.attempt });
      }),
      { numRuns: 25 },
    );
  });
});

/** Events that may die with a worker: a later attempt emits them again, or discards their step. */
const bestEffort = new Set<TurnEvent['type']>([
  'step.started',
  'thinking.delta',
  'text.delta',
  'source.cited',
  'tool.requested',
  'tool.args.delta',
  'tool.progress',
]);

function expectWhole(seen: readonly TurnEvent[], archive: readonly TurnEvent[]): void {
  const cursorOf = (event: TurnEvent): number => event.attempt * 1e6 + event.seq;
  const cursors = seen.map(cursorOf);
  expect(cursors).toEqual([...new Set(cursors)].sort((a, b) => a - b));
  expect(seen.filter((event) => event.type === 'turn.ended')).toEqual(seen.slice(-1));
  const kept = new Set(archive.map(cursorOf));
  expect(archive).toEqual(seen.filter((event) => kept.has(cursorOf(event))));
  const lost = seen.filter((event) => !kept.has(cursorOf(event)) && !bestEffort.has(event.type));
  expect(lost).toEqual([]);
  expect(foldTurnEvents(archive)).toEqual(foldTurnEvents(seen));
}
