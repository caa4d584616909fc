import { describe, expect, it, beforeEach } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { ToolFailure } from '../../tools/tool.js';
import { useDatabase } from '../../../test/support/database/database.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { someLimits, storeTurn } from '../../../test/support/turn/store-turn.js';
import { logStart } from '../../events/cursor.js';
import { EventWriter } from '../../events/event-writer.js';
import { MemoryEventLog } from '../../events/memory-event-log.js';
import { TurnCommits } from '../../events/turn-commits.js';
import { noUsage, type TurnEvent, type TurnEventBody } from '../../events/turn-event.js';
import { newAgentState } from '../../governance/decision-tree/agent-state.js';
import { turns } from '../../storage/schema.js';
import { Deadline } from '../state/lease.js';
import type { Progress, Attempt, ChildTurn } from '../state/attempt.js';
import { answerOf, ApprovalRelay } from './delegator.js';

const child = { agent: 'reader', id: 'turn_1' };

describe('the answer of a subagent', () => {
  it.each([
    ['that is done', { outcome: 'completed', reason: 'end_turn', text: 'Found.' }, 'Found.'],
    [
      'that says nothing',
      { outcome: 'completed', reason: 'end_turn', text: '' },
      'reader is done and says nothing.',
    ],
    [
      'that reached a limit of its own',
      { outcome: 'limited', reason: 'max_turns', text: 'Half of it.' },
      'reader ended at a limit of its own (max_turns). What it has found so far:\n\nHalf of it.',
    ],
  ] as const)('%s is a result', (_name, end, answer) => {
    expect(answerOf(child, end)).toBe(answer);
  });

  it.each([
    ['that was refused', 'limited', 'refusal', 'I'],
    ['that failed', 'failed', 'SDK_FAILURE', 'Half'],
    ['that was interrupted', 'interrupted', 'parent-ended', 'Half'],
    ['that has nothing', 'limited', 'timeout', ''],
  ] as const)('%s is a failure', (_name, outcome, reason, text) => {
    expect(() => answerOf(child, { outcome, reason, text })).toThrow(ToolFailure);
  });
});

describe('PeopleWatch', () => {
  const database = useDatabase();

  let clock: ManualClock;
  let deadline: Deadline;
  let isOver: boolean;
  let turnId: string;
  let run: Pick<Attempt, 'writer' | 'progress'>;
  beforeEach(async () => {
    clock = new ManualClock();
    isOver = false;
    deadline = new Deadline(clock, 10_000, () => (isOver = true));
    turnId = await storeTurn(database.db);
    const log = new MemoryEventLog(clock);
    await log.begin(turnId, 1);
    const fail = (error: unknown): never => {
      throw error;
    };
    const writer = new EventWriter({
      log,
      db: database.db,
      commits: new TurnCommits(database.db),
      clock,
      turnId,
      attempt: 1,
      before: logStart,
      commitTimeoutMs: 1_000,
      isLost: () => false,
      onLogError: fail,
      onFailure: fail,
    });
    const startTime = clock.now();
    const progress: Progress = {
      steps: [],
      results: new Map(),
      draft: undefined,
      state: newAgentState({ userId: 'u', projectId: 'p', startTime, config: someLimits }),
      overhead: noUsage,
      elidedThrough: 0,
      hasElidedEarlier: false,
      discarded: noUsage,
      sampled: new Map(),
      serverStarts: new Map(),
      notices: [],
      steered: [],
    };
    run = { writer, progress };
  });

  const child = (more: Partial<ChildTurn> = {}): ChildTurn => ({
    id: 'turn_child',
    callId: 'call_1',
    agent: 'WRITER',
    tokenBudget: 1_000,
    costLimit: undefined,
    usage: undefined,
    waitingSince: null,
    relayedTo: logStart,
    isOver: false,
    ...more,
  });
  const watchOf = (of = child()): ApprovalRelay => new ApprovalRelay(run, deadline, of);
  const at = (body: TurnEventBody): TurnEvent => ({ ...body, attempt: 1, seq: 1, at: '' });
  const asked = (approvalId: string): TurnEvent =>
    at({
      type: 'approval.requested',
      approvalId,
      callId: 'call_2',
      name: 'write',
      input: {},
      kind: 'tool',
      reason: 'a rule',
      expiresAt: '',
      onTimeout: 'deny',
    });
  const answered = (approvalId: string): TurnEvent =>
    at({ type: 'approval.resolved', approvalId, callId: 'call_2', decision: 'approve', by: 'a' });
  const waitedMs = async (): Promise<number | undefined> => {
    const [row] = await database.db.select().from(turns).where(eq(turns.id, turnId));
    return row?.waitedMs;
  };

  it('stops the time of the parent until the last question is answered, and stores how long', async () => {
    const watch = watchOf();
    await clock.advance(4_000);
    await watch.see(asked('a'));
    await watch.see(asked('b'));
    await clock.advance(60_000);
    await watch.see(answered('a'));
    await clock.advance(60_000);
    expect([isOver, deadline.leftMs]).toEqual([false, 6_000]);
    const before = run.progress.state.startTime;
    await watch.see(answered('b'));
    expect(await waitedMs()).toBe(120_000);
    // The loop's own clock does not run ahead of what it has seen.
    expect(run.progress.state.startTime).toBeGreaterThanOrEqual(before);
    await clock.advance(6_000);
    expect(isOver).toBe(true);
  });

  it('stops it for a question of an earlier attempt, whatever it was called', async () => {
    const watch = watchOf(child({ waitingSince: new Date(clock.now()) }));
    await clock.advance(30_000);
    expect(isOver).toBe(false);
    await watch.see(answered('a'));
    expect(await waitedMs()).toBe(30_000);
  });

  it('does not for a subagent that has ended', async () => {
    watchOf(child({ waitingSince: new Date(clock.now()), usage: noUsage }));
    await clock.advance(10_000);
    expect(isOver).toBe(true);
  });

  it('lets it go on when the subagent is waited for no longer', async () => {
    const watch = watchOf();
    await watch.see(asked('a'));
    await clock.advance(1_000);
    await watch.stop();
    await watch.stop();
    expect(await waitedMs()).toBe(1_000);
    await clock.advance(10_000);
    expect(isOver).toBe(true);
  });
});
