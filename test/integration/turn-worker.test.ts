import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { loadArchive } from '../../src/events/archive.js';
import type { TurnEvent } from '../../src/events/turn-event.js';
import { steps, toolCalls } from '../../src/storage/transcript-schema.js';
import { turns } from '../../src/storage/schema.js';
import type { ToolDefinition } from '../../src/tools/tool.js';
import { MemoryTurnQueue } from '../../src/turn/queue/turn-queue.js';
import { ApprovalStore } from '../../src/turn/approvals/approval-store.js';
import { Sweeper } from '../../src/turn/worker/sweeper.js';
import type { Claim } from '../../src/turn/state/attempt.js';
import { TurnClaims } from '../../src/turn/queue/turn-claims.js';
import { claimOne } from '../support/turn/claim-one.js';
import { expectSoon } from '../support/expect-soon.js';
import { useDatabase } from '../support/database/database.js';
import { openTestServices, type TestServices } from '../support/turn/turn-services.js';
import { readTurn } from '../support/turn/read-turn.js';
import { submit, newSession } from '../support/turn/submit.js';

describe('the worker', () => {
  const database = useDatabase();
  beforeEach(async () => {
    await database.db.delete(turns);
  });

  const opened: TestServices[] = [];
  afterEach(async () => {
    for (const tool of slow) tool.release();
    await Promise.all(opened.splice(0).map((test) => test.close()));
  });

  const slow: SlowTool[] = [];
  function slowTool(name: string, more: Partial<ToolDefinition>): SlowTool {
    const tool = new SlowTool(name, more);
    slow.push(tool);
    return tool;
  }

  async function open(tools: SlowTool[], options: Parameters<typeof openTestServices>[2] = {}) {
    const definitions = tools.map((tool) => tool.definition);
    const test = await openTestServices(database, definitions, options);
    opened.push(test);
    const claims = new TurnClaims(test.services.db, test.config);
    const own = await newSession(test, { mode: 'acceptEdits' });
    const opts = { tools: definitions.map(({ name }) => name), maxTurns: 5 };
    const send = (message: string, sessionId = own) => submit(test, message, opts, { sessionId });
    return { ...test, claims, send };
  }

  function everything(test: TestServices, turnId: string): Promise<TurnEvent[]> {
    return readTurn(test.services.follower, turnId);
  }

  const endsOf = (events: readonly TurnEvent[]) =>
    events.filter((event) => event.type === 'turn.ended');

  it('leaves a turn whose lease is alive', async () => {
    const test = await open([]);
    const { turnId } = await test.send('Hello');
    expect(await claimOne(test.claims)).toMatchObject({ attempt: 1 });
    const worker = await test.startWorker();
    await test.services.queue.wake();
    await worker.stop();
    expect(test.modelRequests).toEqual([]);
    const logged = await test.services.log.read(turnId);
    expect(logged.map((event) => event.type)).not.toContain('turn.started');
  });

  it('claims for its free slots, hands its token on when it is full, and claims again when it is not', async () => {
    const tool = slowTool('slow', { effect: 'read', retry: 'safe' });
    const test = await open([tool]);
    const { services, config } = test;
    config.workerConcurrency = 2;
    const send = async (): Promise<string> => {
      const id = await newSession(test, { mode: 'acceptEdits' });
      return (await test.send('[[tool=slow {}]]', id)).turnId;
    };
    const ids = [await send(), await send(), await send()];
    const running = () => services.db.$count(turns, eq(turns.status, 'running'));
    expect(await services.queue.depth()).toBe(1);
    await test.startWorker();
    await tool.started;
    // Two run, and the third waits: its token is for another worker.
    await expectSoon(async () => expect(await services.queue.depth()).toBe(1));
    expect(await running()).toBe(2);
    tool.release();
    for (const id of ids) expect(endsOf(await everything(test, id))).toHaveLength(1);
    await expectSoon(async () => expect(await services.queue.depth()).toBe(0));
  });

  it('is stopped while it is full: it claims no more, and what it runs may end', async () => {
    const tool = slowTool('slow', { effect: 'read', retry: 'safe' });
    const test = await open([tool]);
    test.config.workerConcurrency = 1;
    const { services } = test;
    const worker = await test.startWorker();
    const { turnId } = await test.send('[[tool=slow {}]]');
    await tool.started;
    const other = await newSession(test, { mode: 'acceptEdits' });
    const waiting = await test.send('Hello', other);
    const drained = test.drain([worker]);
    tool.release();
    await drained;
    expect(endsOf(await everything(test, turnId))).toHaveLength(1);
    const [row] = await services.db.select().from(turns).where(eq(turns.id, waiting.turnId));
    expect(row).toMatchObject({ status: 'queued', attempt: 0 });
  });

  it('is stopped while more turns wait than it claims at once: it leaves the others', async () => {
    const test = await open([]);
    test.config.workerConcurrency = 100;
    const { services } = test;
    for (let count = 0; count < 20; count += 1) await test.send('Hello', await newSession(test));
    await test.drain([await test.startWorker()]);
    expect(await services.db.$count(turns, eq(turns.status, 'queued'))).toBe(4);
  });

  it('writes nothing more once its lease is lost, and tells the tool to stop', async () => {
    const tool = slowTool('slow', { effect: 'edit', retry: 'never' });
    const test = await open([tool], { leaseMs: 1_000 });
    const { services, claims } = test;
    await test.startWorker();
    const { turnId } = await test.send('[[tool=slow {}]]');
    const signal = await tool.started;
    // Another worker takes the turn over, as after a pause longer than the lease.
    let taken: Claim | undefined;
    // A heartbeat of the first worker may come between the two.
    while (taken === undefined) {
      await services.db.update(turns).set({ leaseUntil: new Date(0) });
      taken = await claimOne(claims);
    }
    expect(taken).toMatchObject({ attempt: 2 });
    await services.log.begin(turnId, 2);
    const before = await services.log.read(turnId);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    expect(signal.reason).toMatchObject({ reason: 'lost' });
    tool.release();
    await test.drain();
    expect(await services.log.read(turnId)).toEqual(before);
    expect(await services.db.select({ status: toolCalls.status }).from(toolCalls)).toEqual([
      { status: 'claimed' },
    ]);
    expect(await services.db.select({ step: steps.step }).from(steps)).toEqual([{ step: 1 }]);
    const [turn] = await services.db.select().from(turns).where(eq(turns.id, turnId));
    expect(turn).toMatchObject({ status: 'running', attempt: 2 });
  });

  it.each([
    ['safe', 'success', 2],
    ['never', 'unknown', 1],
  ] as const)('goes on with a lost call of a tool that is %s: %s', async (retry, status, runs) => {
    const tool = slowTool('slow', { effect: 'read', retry });
    const test = await open([tool]);
    const { services } = test;
    const dying = await test.startWorker();
    const { turnId } = await test.send('[[tool=slow {}]]');
    await tool.started;
    // SIGTERM with no time to drain: the turn is handed back in the middle of the call.
    await dying.stop();
    tool.release();
    const queue = freshQueue();
    await test.startWorker({ queue });
    await queue.wake();
    const events = await everything(test, turnId);
    expect(endsOf(events)).toHaveLength(1);
    expect(events.find((event) => event.type === 'tool.ended')).toMatchObject({ status });
    expect(tool.runs).toBe(runs);
    await test.drain();
    expect(await loadArchive(services.db, turnId)).toEqual(events);
  });

  it('ends a turn at its deadline inside a tool that ignores its signal', async () => {
    const tool = slowTool('slow', { effect: 'edit', retry: 'never' });
    const test = await open([tool], { turnTimeoutMs: 5_000 });
    await test.startWorker();
    const { turnId } = await test.send('[[tool=slow {}]]');
    const events = await everything(test, turnId);
    expect(endsOf(events)).toEqual([
      expect.objectContaining({ outcome: 'limited', reason: 'timeout', exitCode: 0 }),
    ]);
    expect(events.find((event) => event.type === 'tool.ended')).toMatchObject({
      status: 'unknown',
    });
  });

  it('ends a turn that was cancelled before it was claimed, without calling the model', async () => {
    const test = await open([]);
    const { turnId } = await test.send('Hello');
    await test.services.canceller.cancel(turnId, 'interrupt');
    await test.startWorker();
    const events = await everything(test, turnId);
    expect(events.map((event) => event.type)).toEqual(['turn.started', 'turn.ended']);
    expect(endsOf(events)).toEqual([
      expect.objectContaining({ outcome: 'interrupted', exitCode: 130 }),
    ]);
    expect(test.modelRequests).toEqual([]);
  });

  it('leaves a turn it cannot store to be picked up, and shows readers nothing that is not stored', async () => {
    const tool = slowTool('slow', { effect: 'read', retry: 'safe' });
    const test = await open([tool]);
    const { services, claims } = test;
    await test.startWorker();
    const { turnId } = await test.send('[[tool=slow {}]]');
    await tool.started;
    // The tool's result cannot be stored: its table is renamed.
    await services.db.execute('alter table tool_calls rename to tool_calls_away');
    tool.release();
    await test.drain();
    const shown = await services.log.read(turnId);
    expect(shown.map((event) => event.type)).not.toContain('tool.ended');
    await services.db.execute('alter table tool_calls_away rename to tool_calls');
    await claims.releaseAll();
    const queue = freshQueue();
    await test.startWorker({ queue });
    const { clock, logger, notifier, canceller } = services;
    const abandoned = { cancel: async () => undefined, startOver: () => undefined };
    const approvals = new ApprovalStore(services.db);
    const sweeper = new Sweeper(
      claims,
      queue,
      approvals,
      abandoned,
      notifier,
      canceller,
      clock,
      logger,
    );
    await sweeper.start();
    const events = await everything(test, turnId);
    sweeper.stop();
    expect(endsOf(events)).toEqual([expect.objectContaining({ outcome: 'completed' })]);
    await test.drain();
  });
});

function freshQueue(): MemoryTurnQueue {
  return new MemoryTurnQueue(() => undefined);
}

/** A tool that runs until the test lets it go, whatever its signal says; later calls are quick. */
class SlowTool {
  runs = 0;
  readonly definition: ToolDefinition;
  /** The signal of the first call, once it runs. */
  readonly started: Promise<AbortSignal>;
  #start = (_signal: AbortSignal): void => undefined;
  #release = (): void => undefined;
  readonly #released: Promise<void>;

  constructor(name: string, more: Partial<ToolDefinition>) {
    this.started = new Promise((resolve) => (this.#start = resolve));
    this.#released = new Promise((resolve) => (this.#release = resolve));
    this.definition = {
      name,
      description: 'Takes its time.',
      inputSchema: { type: 'object' },
      effect: 'read',
      retry: 'safe',
      ...more,
      open: () => ({
        run: async (_input, { signal }) => {
          this.runs += 1;
          this.#start(signal);
          await this.#released;
          return 'done';
        },
      }),
    };
  }

  release(): void {
    this.#release();
  }
}
