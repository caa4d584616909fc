import type { TurnFailure } from '../../storage/shapes/stored-turn.js';
import type { StepStopReason, AssistantPart } from '../../storage/shapes/stored-step.js';
import { clientNotice, type NoticePosted, type TurnEventBody } from '../../events/turn-event.js';
import type { Stored } from '../../events/turn-commits.js';
import { moveTime } from '../../governance/decision-tree/agent-state.js';
import {
  dayEndNote,
  dayLimitReached,
  type DayLimitReached,
} from '../../governance/limits/day-budget.js';
import {
  endNote,
  limitReached,
  type LimitReached,
  ownEndNote,
  ownEndReached,
} from '../../governance/limits/limit-reached.js';
import { isLimit } from '../../governance/limits/termination-checks.js';
import { compact } from '../../platform/compact.js';
import { retryAdvice } from '../../platform/retry-advice.js';
import { updateTurnKind, type StoreWrite } from '../../storage/write-kind.js';
import { turns } from '../../storage/schema.js';
import { endToolCall, type CallEnd } from '../../tools/ledger.js';
import { draftUsage, totalUsage } from '../budgets/estimate-call.js';
import { settlement } from '../../governance/budgets/usage-days.js';
import { unlessUndelivered, insertMessage, insertStep } from '../state/stored-turn.js';
import type { Ending } from '../loop/next-action.js';
import { assistantMessageId } from '../state/turn-row.js';
import { isCleared, leftOutOf, takeBack, turnLeftOut } from '../prompt/left-out-turns.js';
import { lastCallMark } from '../loop/last-call.js';
import { abandonedServerCalls } from '../state/server-calls.js';
import {
  ledgerCall,
  type Attempt,
  knownEnd,
  openCalls,
  replyText,
  stepEnded,
  toolEnded,
  type Progress,
  type StepDraft,
  type ToolUse,
} from '../state/attempt.js';
import { isPlainObject } from '../../platform/json.js';
import { resolvedEvent, cancelApprovals } from '../approvals/approval-writes.js';
import { attributes } from '../../telemetry/span-names.js';

const endColumns = [
  'status',
  'exitCode',
  'endReason',
  'endNote',
  'failure',
  'leftOut',
  'usage',
  'leaseUntil',
  'endedAt',
] as const;
const storeEnd = updateTurnKind(turns, endColumns);
/** One write: a statement may change a row once. */
const storeOutputEnd = updateTurnKind(turns, [...endColumns, 'output']);

/**
 * The one way a turn ends. In one statement: what was cut is closed and kept, the status is set
 * once, the assistant's message exists, and the end's events are archived; then readers see
 * it. The session's lock is free in the same moment.
 *
 * @returns `undelivered` when a message was steered into the turn that it has not answered: nothing
 *   was written, and the turn goes on.
 * @throws FencedError when another attempt owns the turn or it has ended: nothing was written.
 */
export async function endTurn(
  run: Attempt,
  ending: Ending,
  failure?: TurnFailure,
): Promise<Stored> {
  const end = planEnd(run, ending, failure, new Date(run.clock.now()));
  const [events, facts] = [endEvents(run, end), endWrites(run, end)];
  const done = await storeEnding(run, ending, (delivered) =>
    run.writer.commitEnd(events, facts, delivered),
  );
  if (done.type === 'stored') reportEnd(run, end);
  return done;
}

type PlannedEnd = ReturnType<typeof planEnd>;

/** Decides what becomes of everything that is open when a turn ends. Pure. */
function planEnd(run: Attempt, ending: Ending, failure: TurnFailure | undefined, now: Date) {
  const { turn, progress, storedParts } = run;
  const leftOut = leftOutOf(progress, failure);
  const previous = run.earlier.at(-1);
  const isTakenBack =
    leftOut === 'refused' &&
    previous !== undefined &&
    isCleared(previous, { failure, storedParts });
  return {
    ending,
    failure,
    now,
    usage: totalUsage(run),
    durationMs: now.getTime() - (turn.startedAt ?? turn.createdAt).getTime(),
    abandoned: openCalls(progress).map((call) => ({ call, end: abandonedEnd(run, call) })),
    cut: cutStep(run, ending),
    limit: describeLimit(progress, ending, now),
    leftOut,
    /** The turn whose message is sent again. Undefined: none. */
    cleared: isTakenBack ? previous.turn.id : undefined,
  };
}

/** The last events of a turn. Pure. */
function endEvents({ turn, progress, approvals }: Attempt, end: PlannedEnd): TurnEventBody[] {
  const { ending, failure, usage, durationMs, abandoned, cut, limit, leftOut, cleared } = end;
  const open = approvals.filter(({ decision }) => decision === null);
  return [
    ...open.map((approval) => resolvedEvent({ ...approval, decision: 'cancelled' })),
    ...abandoned.map(({ call, end: how }) => toolEnded(turn.id, call, how)),
    ...abandonedServerCalls(progress),
    ...progress.steps.slice(-1).flatMap((step) => (abandoned.length > 0 ? [stepEnded(step)] : [])),
    ...(cut === undefined ? [] : [stepEnded(cut)]),
    ...(limit?.events ?? []),
    ...(leftOut === undefined ? [] : [turnLeftOut(leftOut, cleared !== undefined)]),
    ...(failure === undefined ? [] : [turnFailed(failure)]),
    {
      type: 'turn.ended',
      outcome: ending.outcome,
      exitCode: ending.exitCode,
      reason: ending.reason,
      text: replyText(progress) + (limit?.note ?? ''),
      usage,
      durationMs,
      ...compact({ output: ending.output }),
    },
  ];
}

/** What the end of a turn stores. Pure. */
function endWrites(run: Attempt, end: PlannedEnd): StoreWrite[] {
  const { turn, progress } = run;
  const { ending, failure, now, usage, abandoned, cut, limit, leftOut, cleared } = end;
  const stored = {
    status: ending.outcome,
    exitCode: ending.exitCode,
    endReason: ending.reason,
    endNote: limit?.note.trim() ?? null,
    failure: failure ?? null,
    leftOut: leftOut ?? null,
    usage,
    leaseUntil: null,
    endedAt: now,
  };
  return [
    ...abandoned.map(({ call, end: how }) => endToolCall(ledgerCall(run, call), how, now)),
    ...(cut === undefined
      ? []
      : [insertStep({ ...cut, turnId: turn.id, attempt: turn.attempt, endedAt: now })]),
    ...settleCut(progress),
    insertMessage({
      id: assistantMessageId(turn.id),
      sessionId: turn.sessionId,
      turnId: turn.id,
      role: 'assistant',
      parts: [],
      createdAt: now,
    }),
    ending.output === undefined
      ? storeEnd(stored)
      : storeOutputEnd({ ...stored, output: ending.output }),
    ...(cleared === undefined ? [] : [takeBack({ id: cleared })]),
    ...(run.approvals.length === 0 ? [] : [cancelApprovals({ attempt: turn.attempt })]),
    // Includes a message that no heartbeat has reported yet.
    unlessUndelivered({ afterStep: progress.steps.at(-1)?.step ?? 0 }),
  ];
}

/** A failure that ends the turn. It is an error whatever its status: nothing more comes. */
function turnFailed(failure: TurnFailure): TurnEventBody {
  const { errorType, message, status, details } = failure;
  return {
    type: 'turn.failed',
    phase: 'mid-stream',
    errorType,
    message,
    status,
    severity: 'error',
    fatal: true,
    ...(details === undefined ? {} : { details }),
    ...retryAdvice(failure),
  };
}

/**
 * Longest time that a worker waits for the log to take a turn's end, in ms; readers find the end in the
 * archive.
 */
const FLUSH_MS = 5_000;

/** Waits, for a while, until the log has all events of an attempt that is over. */
export function flushLog({ writer }: Attempt): Promise<void> {
  return writer.flush(FLUSH_MS);
}

/**
 * Stores an end. A turn that completes answers late messages first; any other end takes them into the
 * conversation, and must know of all that it takes.
 */
async function storeEnding(
  { progress, lease }: Attempt,
  { outcome }: Ending,
  commit: (delivered: number) => Promise<Stored>,
): Promise<Stored> {
  if (outcome === 'completed') return commit(progress.steered.length);
  for (;;) {
    const stored = await commit(lease.steered);
    if (stored.type === 'stored') return stored;
    lease.steered = stored.steered;
  }
}

/** The limit that ended a turn: a notice for the client and a last sentence of the reply. */
function describeLimit(progress: Progress, ending: Ending, now: Date) {
  const text = replyText(progress);
  const limit = ending.outcome === 'limited' ? explainLimit(progress, ending, now) : undefined;
  if (limit === undefined) return undefined;
  const note = `${text === '' ? '' : '\n\n'}${limit.note}`;
  const step = (progress.draft ?? progress.steps.at(-1))?.step;
  const events: TurnEventBody[] = [
    // A last call had the notice before it.
    ...(hasNotice(progress, ending.reason) ? [] : [limitNotice(limit.reached)]),
    // A turn without a step has no reply to add the sentence to.
    ...(step === undefined ? [] : [{ type: 'text.delta' as const, step, text: note }]),
  ];
  return { note, events };
}

/** The limit that ended a turn, for clients. */
function limitNotice({ kind, text, metadata }: LimitReached | DayLimitReached): NoticePosted {
  return clientNotice('step', kind, text, { ...metadata });
}

function hasNotice({ notices }: Progress, reason: string): boolean {
  return notices.some(({ mark }) => mark === lastCallMark(reason));
}

function explainLimit(progress: Progress, { reason, explanation }: Ending, now: Date) {
  const hasText = replyText(progress) !== '';
  if (explanation !== undefined) {
    const own = { reason, explanation };
    return { reached: ownEndReached(own), note: ownEndNote(own, hasText) };
  }
  const { shortage } = progress;
  if (shortage?.budget === reason) {
    return { reached: dayLimitReached(shortage), note: dayEndNote(shortage, hasText) };
  }
  if (!isLimit(reason)) return undefined;
  const state = moveTime(progress.state, now.getTime());
  return { reached: limitReached(reason, state), note: endNote(reason, state, hasText) };
}

/** Charges the day for a cut call: its reported usage, and what came of the reply. */
function settleCut({ draft }: Progress): StoreWrite[] {
  return draft?.reserved === undefined ? [] : [settlement(draft.reserved, draftUsage(draft))];
}

/** The half-streamed step as far as it can be kept. */
function cutStep({ progress: { draft }, turn }: Attempt, ending: Ending) {
  if (draft === undefined) return undefined;
  const stopReason: StepStopReason = ending.outcome === 'failed' ? 'failed' : 'interrupted';
  const { step, sent, startedAt, firstTokenAt = null } = draft;
  const [parts, usage] = [keptParts(draft), draftUsage(draft)];
  const { model } = turn.options.options;
  const kept = { step, parts, stopReason, usage, sent, startedAt, firstTokenAt };
  return { ...kept, model, cacheBroken: null };
}

function keptParts(draft: StepDraft): AssistantPart[] {
  // A call that was still being written has no result and never will: it is left out, and so is a
  // provider's own block whose answer may be missing.
  const whole = draft.parts.filter((part) => part.type !== 'tool_use' && part.type !== 'opaque');
  const text = draft.openText.join('');
  return text === '' ? whole : [...whole, { type: 'text', text }];
}

/** The result of a call that the end of the turn caught. */
function abandonedEnd(run: Attempt, call: ToolUse): CallEnd {
  const known = knownEnd(run.progress, call);
  if (known !== undefined) return known;
  // A call that has asked did something before.
  const hasAsked = run.approvals.some(
    ({ callId, kind }) => callId === call.id && kind === 'elicitation',
  );
  if (run.progress.results.get(call.id)?.status !== 'claimed' && !hasAsked) {
    return { status: 'refused', output: 'not run: the turn ended before it', durationMs: 0 };
  }
  if (run.isHarmless(call.name)) {
    return { status: 'error', output: 'stopped: the turn ended while it ran', durationMs: 0 };
  }
  const output = 'stopped while it ran: it may have taken effect, in part or in full';
  return { status: 'unknown', output, durationMs: 0 };
}

/** Reports a turn's end to operators: a line of the log, and the span of the attempt that ended it. */
function reportEnd(
  { logger, span, progress }: Pick<Attempt, 'logger' | 'span' | 'progress'>,
  { ending: { outcome, reason }, usage, durationMs, failure }: PlannedEnd,
): void {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd } = usage;
  const tokens = { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
  const steps = progress.steps.length;
  const error = failure && describeFailure(failure);
  const level = failure !== undefined && failure.status >= 500 ? 'error' : 'info';
  logger[level]({ outcome, reason, durationMs, steps, ...tokens, costUsd, error }, 'turn ended');
  if (span?.isRecording !== true) return;
  span.set({
    [attributes.outcome]: outcome,
    [attributes.reason]: reason,
    [attributes.inputTokens]: inputTokens + cacheReadTokens + cacheWriteTokens,
    [attributes.outputTokens]: outputTokens,
    ...(costUsd === undefined ? {} : { [attributes.cost]: costUsd }),
  });
  if (failure !== undefined) span.fail(failure.errorType);
}

/** A failure without its message, which may quote the conversation. */
function describeFailure({ errorType: type, status, details }: TurnFailure) {
  const { category, reason } = isPlainObject(details) ? details : {};
  return { type, status, category, reason };
}
