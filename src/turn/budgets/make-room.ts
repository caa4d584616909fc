import type { AgentState } from '../../governance/agent-state.js';
import type { CallSize } from '../../governance/day-budget.js';
import type { ModelRequest } from '../../provider/model-types.js';
import { findRoom, lastCall } from '../find-room.js';
import { cachedInput, estimateInput, leastReply, reserveReply } from '../reserve-tokens.js';
import type { Budget, TurnRun } from '../turn-run.js';
import { reserveCall } from './reserve-call.js';

export interface CallPlan {
  step: number;
  /** Of the iteration that begins. */
  state: AgentState;
  request: ModelRequest;
  /** Milliseconds since the epoch. */
  now: number;
}

/**
 * Finds the room for a step's reply: in the turn's own budgets, then in its principal's day, where
 * the call is reserved. A reply that is given less than it might have had is remembered as clamped.
 *
 * @returns the most tokens it may have, or the budget that has no room for one.
 */
export async function makeRoom(
  run: TurnRun,
  { step, state, request, now }: CallPlan,
): Promise<{ maxTokens: number } | { budget: Budget }> {
  const last = lastCall(run);
  const input = estimateInput(request, last, now);
  const own = findRoom(state, input, run.turn.options.options.costLimit);
  const reply = reserveReply({ left: own.tokens, input, most: request.maxTokens });
  if (reply === undefined) return { budget: own.budget };
  if (reply < request.maxTokens) clamp(run, step, own.budget);
  return reserveOfDay(run, step, { input, cached: cachedInput(last, now), reply });
}

async function reserveOfDay(
  run: TurnRun,
  step: number,
  size: CallSize,
): Promise<{ maxTokens: number } | { budget: Budget }> {
  const { turn, progress, db, clock, lease, price } = run;
  const { principalId, budget: limits } = turn;
  // Most have none: nothing is asked for them.
  if (limits === null) return { maxTokens: size.reply };
  const reserved = await reserveCall(
    { db, clock, signal: lease.signal },
    { principalId, limits, size, leastReply: leastReply(size.reply), price },
  );
  progress.shortage = reserved.shortage;
  if (reserved.type === 'refused') return { budget: reserved.shortage.budget };
  progress.reserved = reserved.reservation;
  if (reserved.shortage !== undefined) clamp(run, step, reserved.shortage.budget);
  return { maxTokens: reserved.reply };
}

function clamp({ progress }: TurnRun, step: number, budget: Budget): void {
  progress.clampedStep = step;
  progress.clampedBy = budget;
}
