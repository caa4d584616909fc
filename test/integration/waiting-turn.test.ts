import { somebody } from '../support/access/somebody.js';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { and, asc, eq } from 'drizzle-orm';
import * as fc from 'fast-check';
import { useDatabase } from '../support/database/database.js';
import { ManualClock } from '../support/manual-clock.js';
import { openTestServices, type TestServices } from '../support/turn/turn-services.js';
import { loadArchive } from '../../src/events/archive.js';
import type { TurnEvent } from '../../src/events/turn-event.js';
import { TypedError } from '../../src/errors/typed-error.js';
import { approvals } from '../../src/storage/governance-schema.js';
import { turns } from '../../src/storage/schema.js';
import type { ToolDefinition } from '../../src/tools/tool.js';
import { MemoryTurnQueue } from '../../src/turn/queue/turn-queue.js';
import type { TurnWorker } from '../../src/turn/worker/turn-worker.js';
import type { AnswerInput, ApprovalRow } from '../../src/turn/approvals/approval-writes.js';
import { ApprovalStore } from '../../src/turn/approvals/approval-store.js';
import { submit } from '../support/turn/submit.js';

const database = useDatabase();

/** How often each call ran. */
const runs = new Map<string, number>();
/** The tool may not run twice, and takes long enough to lose its worker. */
const deploy: ToolDefinition = {
  name: 'deploy',
  description: 'Counts its runs.',
  inputSchema: { type: 'object' },
  effect: 'edit',
  retry: 'never',
  open: () => ({
    run: async (_input, { callId }) => {
      runs.set(callId, (runs.get(callId) ?? 0) + 1);
      for (let ticks = 0; ticks < 20; ticks += 1) await yieldToEventLoop();
      return 'deployed';
    },
  }),
};

let test: TestServices;
let furtherWorkers: TurnWorker[];
beforeEach(async () => {
  furtherWorkers = [];
  // The clock's year is over: every deadline of a stored row has passed.
  test = await openTestServices(database, [deploy], { clock: new ManualClock() });
  await test.startWorker();
});
afterEach(async () => {
  await test.close();
});

async function send(
  message = '[[tool=deploy {"n":1}]] [[tool=deploy {"n":2}]]',
  more: object = {},
): Promise<string> {
  const opts = { tools: ['deploy'], onDisconnect: 'continue', ...more };
  return (await submit(test, message, opts)).turnId;
}

async function follow(turnId: string, seen: TurnEvent[]): Promise<void> {
  const { signal } = new AbortController();
  await test.services.follower.follow(turnId, signal, (events) => {
    seen.push(...events);
    return false;
  });
}

function approvalsOf(turnId: string): Promise<ApprovalRow[]> {
  return database.db
    .select()
    .from(approvals)
    .where(eq(approvals.turnId, turnId))
    .orderBy(asc(approvals.createdAt), asc(approvals.id));
}

/** Gives the turn to a further worker, as on a host of its own. */
async function workElsewhere(): Promise<void> {
  const onError = (error: unknown): void => void test.workerErrors.push(error);
  const queue = new MemoryTurnQueue(onError);
  furtherWorkers.push(await test.startWorker({ queue }));
  await queue.wake();
}

/** Sweeps parked turns and lapsed leases as the sweeper does. */
async function sweep(): Promise<void> {
  const { claims } = test.services;
  await claims.wake(await claims.wakeable());
  if ((await claims.claimable(0)) > 0) await workElsewhere();
}

/** Ends the lease: the worker that has the turn does not know, and goes on as a zombie. */
async function takeAway(turnId: string): Promise<void> {
  const isRunning = and(eq(turns.id, turnId), eq(turns.status, 'running'));
  await database.db
    .update(turns)
    .set({ leaseUntil: new Date(0) })
    .where(isRunning);
  await workElsewhere();
}

async function answer(
  turnId: string,
  which: number,
  decision: AnswerInput['decision'],
): Promise<void> {
  const asked = (await approvalsOf(turnId))[which];
  if (asked === undefined) return;
  const given = { decision, message: undefined, input: undefined, rule: undefined };
  try {
    await test.services.answerer.answerOne({ approvalId: asked.id, given }, somebody('local'));
  } catch (error) {
    // An earlier answer was stored, or this answer does not fit the question.
    if (!(error instanceof TypedError)) throw error;
  }
}

interface Act {
  what: 'approve' | 'approve-session' | 'deny' | 'deadline' | 'interrupt' | 'crash' | 'sweep';
  /** Index among the turn's approvals. */
  which: number;
  /** Events to wait for since the act before, if any more come. */
  events: number;
  /** Ticks of the event loop after those events. */
  ticks: number;
}

const anyAct: fc.Arbitrary<Act> = fc.record({
  what: fc.oneof(
    { weight: 6, arbitrary: fc.constant<Act['what']>('crash') },
    { weight: 6, arbitrary: fc.constantFrom<Act['what'][]>('approve', 'approve-session') },
    { weight: 2, arbitrary: fc.constant<Act['what']>('deny') },
    { weight: 3, arbitrary: fc.constantFrom<Act['what'][]>('deadline', 'interrupt', 'sweep') },
  ),
  which: fc.nat({ max: 3 }),
  events: fc.nat({ max: 3 }),
  ticks: fc.nat({ max: 12 }),
});

async function act(turnId: string, { what, which }: Act): Promise<void> {
  switch (what) {
    case 'deadline':
      return void (await new ApprovalStore(database.db).expire());
    case 'interrupt':
      return void (await test.services.canceller.cancel(turnId, 'interrupt'));
    case 'crash':
      return takeAway(turnId);
    case 'sweep':
      return sweep();
    case 'approve':
    case 'approve-session':
    case 'deny':
      return answer(turnId, which, what);
  }
}

/** Takes a turn away from the process that ends it for an interrupt, in some of its runs: its acts overlap. */
const taken: Act[] = (['deadline', 'interrupt', 'crash'] as const).map((what, index) => ({
  what,
  which: 0,
  events: index === 2 ? 1 : 0,
  ticks: 0,
}));

/** Ticks without an event after which the test waits for none. */
const QUIET_TICKS = 200;

async function passEvents(seen: readonly TurnEvent[], count: number): Promise<void> {
  const enough = seen.length + count;
  let quiet = 0;
  for (let had = seen.length; had < enough && quiet < QUIET_TICKS; quiet += 1) {
    await yieldToEventLoop();
    if (seen.length > had) quiet = 0;
    had = seen.length;
  }
}

/** Plays a turn from its question to its end: the acts begin in order, none awaited. */
async function play(acts: readonly Act[]): Promise<{ turnId: string; seen: TurnEvent[] }> {
  const turnId = await send();
  const seen: TurnEvent[] = [];
  const following = follow(turnId, seen);
  while (!seen.some(({ type }) => type === 'approval.requested')) await yieldToEventLoop();
  const begun: Promise<void>[] = [];
  for (const one of acts) {
    await passEvents(seen, one.events);
    for (let tick = 0; tick < one.ticks; tick += 1) await yieldToEventLoop();
    begun.push(act(turnId, one));
  }
  await Promise.all(begun);
  while (seen.at(-1)?.type !== 'turn.ended') {
    for (const which of [0, 1, 2, 3]) await answer(turnId, which, 'approve');
    await sweep();
    await passEvents(seen, 1);
  }
  await following;
  await test.drain(furtherWorkers.splice(0));
  return { turnId, seen };
}

function expectForward(seen: readonly TurnEvent[]): void {
  const cursors = seen.map(({ attempt, seq }) => attempt * 1e6 + seq);
  expect(cursors).toEqual([...new Set(cursors)].sort((a, b) => a - b));
  expect(seen.filter(({ type }) => type === 'turn.ended')).toEqual(seen.slice(-1));
}

/** Expects one answer to each question, and events that agree with the rows. */
function expectResolved(asked: readonly ApprovalRow[], events: readonly TurnEvent[]): void {
  for (const { id, decision, decidedBy } of asked) {
    const resolving = events.filter((event) => 'approvalId' in event && event.approvalId === id);
    expect(resolving).toMatchObject([
      { type: 'approval.requested' },
      { type: 'approval.resolved', decision, by: decidedBy },
    ]);
  }
}

/** Expects each parked event to name open questions only. */
function expectParked(events: readonly TurnEvent[]): void {
  const open = new Set<string>();
  for (const event of events) {
    if (event.type === 'approval.requested') open.add(event.approvalId);
    if (event.type === 'approval.resolved') open.delete(event.approvalId);
    if (event.type === 'turn.parked') expect(event.approvalIds).toEqual([...open]);
  }
  // Expects each attempt to park once at most, as its last event.
  for (const [index, event] of events.entries()) {
    const next = events[index + 1];
    if (event.type === 'turn.parked') expect(next?.attempt).toBeGreaterThan(event.attempt);
  }
}

/** Expects an approval for every run, and no run of a denied call. */
function expectAllowed(asked: readonly ApprovalRow[]): void {
  const isYes = ({ decision }: ApprovalRow): boolean => decision?.startsWith('approve') === true;
  for (const callId of new Set(asked.map((approval) => approval.callId))) {
    const ofCall = asked.filter((approval) => approval.callId === callId);
    const first = ofCall.find(({ kind }) => kind === 'tool');
    const most = first !== undefined && isYes(first) ? ofCall.filter(isYes).length : 0;
    expect(runs.get(callId) ?? 0).toBeLessThanOrEqual(most);
  }
}

it('a waiting turn ends once, and runs what was allowed at most once, whatever comes when', async () => {
  const anyPolicy = fc.constantFrom('tell' as const, 'ask' as const);
  const anyActs = fc.array(anyAct, { maxLength: 7 });
  await fc.assert(
    fc.asyncProperty(anyPolicy, anyActs, async (unknownCalls, acts) => {
      test.config.unknownCalls = unknownCalls;
      test.workerErrors.length = 0;
      const { turnId, seen } = await play(acts);
      const archive = await loadArchive(database.db, turnId);
      const asked = await approvalsOf(turnId);
      expectForward(seen);
      expectForward(archive);
      expectResolved(asked, archive);
      expectParked(archive);
      expectAllowed(asked);
      expect(archive.filter(({ type }) => type === 'tool.ended')).toHaveLength(2);
      const [turn] = await database.db.select().from(turns).where(eq(turns.id, turnId));
      expect(archive.at(-1)).toMatchObject({ outcome: turn?.status, attempt: turn?.attempt });
      expect(test.workerErrors).toEqual([]);
      await database.db.delete(turns);
    }),
    { numRuns: 20, examples: [['tell', taken]] },
  );
});

it('an answer of the client is said to have come once, whichever attempts follow', async () => {
  const pick = { name: 'pick', description: 'Picks.', inputSchema: { type: 'object' } };
  const turnId = await send('[[tool=pick {}]] [[tokens=30 gap=20]]', { clientTools: [pick] });
  const seen: TurnEvent[] = [];
  const following = follow(turnId, seen);
  while (seen.at(-1)?.type !== 'turn.parked') await yieldToEventLoop();
  const [asked] = await approvalsOf(turnId);
  const given = {
    decision: 'answer',
    output: 'red',
    message: undefined,
    input: undefined,
  } as const;
  const answer = { approvalId: asked?.id ?? '', given: { ...given, rule: undefined } };
  await test.services.answerer.answerOne(answer, somebody('local'));
  // The stream is of the call's first attempt: its worker is gone, and a successor repeats it.
  while (seen.at(-1)?.type !== 'text.delta') await yieldToEventLoop();
  await takeAway(turnId);
  await following;
  const notices = (await loadArchive(database.db, turnId)).filter(
    (event) => event.type === 'notice.posted' && event.kind === 'background-result',
  );
  expect(notices).toMatchObject([{ attempt: 2, seenByModel: true, metadata: { id: asked?.id } }]);
  expect(seen.at(-1)).toMatchObject({ type: 'turn.ended', attempt: 3, outcome: 'completed' });
  const texts = test.modelRequests.slice(-2).map(({ body }) => JSON.stringify(body.messages));
  for (const text of texts) expect(text.split('pick has ended')).toHaveLength(2);
});
