import { changeState, type AgentState } from '../../governance/decision-tree/agent-state.js';
import type { ModelRequest } from '../../provider/model-types.js';
import type { CallSize, DayShortage } from '../../governance/limits/day-budget.js';
import type { Reservation } from '../../governance/budgets/usage-days.js';
import type { Budget } from '../state/attempt.js';
import type { AttemptContext, Toolset } from '../state/attempt-context.js';
import { ReservationWait, type WaitDeps } from '../../governance/budgets/reserve-call.js';
import {
  findHeadroom,
  lastReplyTokens,
  minReplyTokens,
  type Headroom,
  type CallEstimate,
} from '../../governance/limits/find-headroom.js';
import { estimateText, type TokenModel } from '../../provider/estimate-tokens.js';
import { capOutput } from '../../tools/calls/run-tool.js';
import { countCall } from './count-call.js';
import { estimateCall } from './estimate-call.js';

export interface CallPlan {
  /** The state of the iteration that begins. */
  state: AgentState;
  request: ModelRequest;
  /** Milliseconds since the epoch. */
  now: number;
  /** Whether the call is the turn's last, which may use the tokens kept for that. */
  isLast: boolean;
}

export interface CallHeadroom {
  /** Most tokens of the reply. */
  maxTokens: number;
  /** See `CallEstimate`. */
  added: number;
  /** The budget that gave the reply fewer tokens than it might have had; absent: none did. */
  clampedBy?: Budget | undefined;
  /** Reservation from the principal's day; absent: it has no limits. */
  reserved?: Reservation;
  /** The limit of the day that left too little headroom; absent: none did. */
  shortage?: DayShortage | undefined;
}

/** The budget that has no headroom for a call. */
export interface NoHeadroom {
  budget: Budget;
  /** See `CallEstimate`. */
  added: number;
  /** The limit of the day that left none; absent: the turn's own budget did. */
  shortage?: DayShortage;
}

/**
 * Finds the headroom of a step's reply: in the turn's own budgets, then in its principal's day,
 * where the call is reserved, if need be once other calls have released tokens. Where an estimate
 * finds none, and an error of a quarter would change that, the provider is asked to count.
 */
export async function reserveHeadroom(
  run: AttemptContext,
  plan: CallPlan,
): Promise<CallHeadroom | NoHeadroom> {
  const estimate = estimateCall(run, plan.request, plan.now);
  // Principals without limits of a day, as most are, cost no statement.
  const wait = run.turn.budget === null ? undefined : new ReservationWait(waitDeps(run));
  const reserve = (size: CallEstimate) => reserveWithin(run, { ...plan, wait }, size);
  const found = await reserve(estimate);
  if (!('budget' in found) || !isCloseCall(run, plan, estimate)) return found;
  const counted = await countCall(run, plan.request, estimate);
  return counted === undefined ? found : reserve(counted);
}

function waitDeps({
  services,
  clock,
  lease,
  turn,
  writer,
  releaseSlotWhile,
}: AttemptContext): WaitDeps {
  return {
    db: services.db,
    clock,
    signal: lease.signal,
    turnId: turn.id,
    emit: (notice) => writer.emit(notice),
    releaseSlotWhile,
  };
}

/** The largest factor by which an estimate is off, for the texts it was fitted to. */
export const MAX_ESTIMATE_ERROR = 1.25;

function isCloseCall(
  run: AttemptContext,
  plan: CallPlan,
  { added, input, ...call }: CallEstimate,
): boolean {
  const least = { ...call, added: added / MAX_ESTIMATE_ERROR, input: input / MAX_ESTIMATE_ERROR };
  return headroomOf(run, plan, least).reply >= minHeadroom(plan);
}

function headroomOf(
  run: AttemptContext,
  { state, isLast }: CallPlan,
  estimate: CallEstimate,
): Headroom {
  const { costLimit } = run.turn.options.options;
  const kept = isLast ? 0 : keptTokens(run.toolset, state);
  const headroom = findHeadroom(state, estimate, { costLimit, kept });
  // Before the first reply there is nothing that a last reply could sum up.
  const isFirst = run.progress.steps.length === 0;
  return isFirst && headroom.reply < kept
    ? findHeadroom(state, estimate, { costLimit, kept: 0 })
    : headroom;
}

/** A turn without tools has no call that could leave it without an answer. */
function keptTokens({ specs }: Toolset, state: AgentState): number {
  return specs.length === 0 ? 0 : lastReplyTokens(state);
}

function minHeadroom({ request }: CallPlan): number {
  return minReplyTokens(request.maxTokens);
}

async function reserveWithin(
  run: AttemptContext,
  plan: CallPlan & { wait: ReservationWait | undefined },
  estimate: CallEstimate,
): Promise<CallHeadroom | NoHeadroom> {
  const { state, request, isLast } = plan;
  const { added, ...prompt } = estimate;
  const own = headroomOf(run, plan, estimate);
  const reply = Math.min(request.maxTokens, own.reply);
  // A reply shorter than the last one kept is better made without tools.
  const isLate =
    own.budget === 'token_budget' &&
    !isLast &&
    run.progress.steps.length > 0 &&
    own.reply < keptTokens(run.toolset, state);
  if (reply < minHeadroom(plan) || isLate) return { budget: own.budget, added };
  const clampedBy = reply < request.maxTokens ? own.budget : undefined;
  const taken = await reserveOfDay(run, plan, { ...prompt, reply });
  return { clampedBy, ...taken, added };
}

async function reserveOfDay(
  { turn, model: { price } }: Pick<AttemptContext, 'turn' | 'model'>,
  { wait }: { wait: ReservationWait | undefined },
  size: CallSize,
): Promise<Omit<CallHeadroom, 'added'> | Omit<NoHeadroom, 'added'>> {
  const { principalId, budget: limits } = turn;
  if (limits === null || wait === undefined) return { maxTokens: size.reply };
  const least = minReplyTokens(size.reply);
  const reserved = await wait.reserve({ principalId, limits, size, minReply: least, price });
  const { shortage } = reserved;
  if (reserved.type === 'refused') {
    return { budget: reserved.shortage.budget, shortage: reserved.shortage };
  }
  return {
    maxTokens: reserved.reply,
    reserved: reserved.reservation,
    ...(shortage === undefined ? {} : { shortage, clampedBy: shortage.budget }),
  };
}

/** The state with a call's added tokens counted, also where the call could not be made. */
export function countAdded(state: AgentState, { added }: { added: number }): AgentState {
  return changeState(state, { tokensUsed: state.tokensUsed + added });
}

/** Tokens of a result at least, however little is left: enough for the mark of the cut. */
const MIN_OUTPUT_TOKENS = 32;

/** Share of the fitting length that a cut leaves: the kept text may be denser. */
const SHRINK = 0.9;

/**
 * Cuts a tool's output to its share of what the turn's token budget has left for the calls of its
 * step. A longer output is cut in its middle, with a mark: a result that leaves no headroom for a
 * reply is of no use.
 */
export function fitOutput(
  { progress, model: { frame } }: Pick<AttemptContext, 'progress' | 'model'>,
  output: string,
): string {
  const { state, steps } = progress;
  const left = state.config.tokenBudget - state.tokensUsed - 2 * lastReplyTokens(state);
  if (left === Infinity) return output;
  const calls = (steps.at(-1)?.parts ?? []).filter(({ type }) => type === 'tool_use').length;
  return cutToTokens(
    output,
    Math.max(MIN_OUTPUT_TOKENS, Math.floor(left / Math.max(1, calls))),
    frame.model,
  );
}

function cutToTokens(text: string, most: number, model: TokenModel): string {
  let length = text.length;
  for (;;) {
    const cut = capOutput(text, length);
    const tokens = estimateText(cut, model);
    if (tokens <= most || length === 0) return cut;
    length = Math.floor(length * Math.min(SHRINK, (most / tokens) * SHRINK));
  }
}
