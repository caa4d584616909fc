import { eq } from 'drizzle-orm';
import { changeState } from '../../governance/decision-tree/agent-state.js';
import { untilAborted } from '../../platform/async/deadlines.js';
import { pause } from '../../platform/clock.js';
import { foundRow } from '../../storage/rows.js';
import { approvals } from '../../storage/governance-schema.js';
import { ToolFailure, type CallAnswer, type CallQuestion } from '../../tools/tool.js';
import type { TurnEventBody } from '../../events/turn-event.js';
import type { StoreWrite } from '../../storage/write-kind.js';
import type { Attempt, ToolUse } from '../state/attempt.js';
import type { AttemptContext } from '../state/attempt-context.js';
import {
  addWaited,
  applyDecision,
  approvalNotFound,
  cancelQuestion,
  insertApproval,
  requestedEvent,
  resolvedEvent,
  type ApprovalRow,
} from './approval-writes.js';
import { answerOf, refuseQuestion } from './call-questions.js';
import { newApprovals } from './request-approvals.js';

/** How often an answer is looked for, in ms. */
const LOOK_MS = 500;

/**
 * Asks the person of a turn for a call that goes on meanwhile: the turn keeps its worker, though not a slot of it, and
 * its own time stands still. The answer is a row, as any process may take it.
 *
 * @param signal closes the question.
 * @throws ToolFailure where the call cannot ask; the reason of `signal`.
 */
export async function holdQuestion(
  run: AttemptContext,
  call: ToolUse,
  asked: CallQuestion,
  signal: AbortSignal,
): Promise<CallAnswer> {
  const refusal = refuseQuestion(run, call, { asked, executed: true });
  if (refusal !== undefined) throw new ToolFailure(refusal);
  const { kind, reason } = asked;
  const question = { call, input: call.input, kind, reason, asked: { asked, state: undefined } };
  const [row] = await newApprovals(run, run.rules.approvals, [question]);
  if (row === undefined) throw new Error('A question has no row');
  run.approvals.push(row);
  await run.writer.commit([requestedEvent(row)], [insertApproval(row)]);
  run.deadline.pause();
  try {
    const decided = await run.releaseSlotWhile(() => untilDecided(run, row.id, signal));
    Object.assign(row, decided, { appliedAttempt: run.turn.attempt });
  } catch (error) {
    if (!run.lease.signal.aborted) await close(run, row);
    throw error;
  } finally {
    await resume(run);
  }
  const applied = applyDecision({ id: row.id, attempt: run.turn.attempt });
  await run.writer.commit([resolvedEvent(row)], [applied]);
  return answerOf(row);
}

async function untilDecided(
  { services, clock }: AttemptContext,
  id: string,
  signal: AbortSignal,
): Promise<ApprovalRow> {
  for (;;) {
    signal.throwIfAborted();
    const found = await services.db.select().from(approvals).where(eq(approvals.id, id));
    const row = foundRow(found, () => approvalNotFound(id));
    if (row.decision !== null) return row;
    await untilAborted(pause(clock, LOOK_MS), signal);
  }
}

/** Closes a question that nobody waits for any more. */
async function close(run: AttemptContext, row: ApprovalRow): Promise<void> {
  const { events, writes } = closed(run, [row]);
  await run.writer.commit(events, writes);
}

/** Events and writes of questions that are closed, to be stored together. */
export interface ClosedQuestions {
  events: TurnEventBody[];
  writes: StoreWrite[];
}

/** Closes the questions about a call that does not run, whatever is answered. */
export function closeQuestions(run: Attempt, { id }: ToolUse): ClosedQuestions {
  return closed(
    run,
    run.approvals.filter(({ callId, decision }) => callId === id && decision === null),
  );
}

function closed({ turn }: Attempt, rows: readonly ApprovalRow[]): ClosedQuestions {
  const { attempt } = turn;
  for (const row of rows) {
    Object.assign(row, { decision: 'cancelled', decidedBy: 'server', appliedAttempt: attempt });
  }
  return {
    events: rows.map(resolvedEvent),
    writes: rows.map(({ id }) => cancelQuestion({ id, attempt })),
  };
}

/** Lets the turn's own time go on, without the time that the person took. */
async function resume({ deadline, progress, writer, lease }: AttemptContext): Promise<void> {
  const ms = deadline.resume();
  if (ms === 0 || lease.signal.aborted) return;
  const { state } = progress;
  progress.state = changeState(state, { startTime: Math.min(state.now, state.startTime + ms) });
  await writer.commit([], [addWaited({ ms: Math.round(ms) })]);
}
