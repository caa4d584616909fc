import type { Usage } from '../../storage/shapes/stored-step.js';
import {
  addUsage,
  clientNotice,
  type NoticePosted,
  type TurnEventBody,
} from '../../events/turn-event.js';
import { pause } from '../../platform/clock.js';
import { untilAborted, retryDelay, type RetryDelays } from '../../platform/async/deadlines.js';
import { updateTurnKind } from '../../storage/write-kind.js';
import { turns } from '../../storage/schema.js';
import { settlement } from '../../governance/budgets/usage-days.js';
import { takeReservation } from '../budgets/estimate-call.js';
import { describeModel } from '../prompt/model-request.js';
import type { TurnRow } from '../state/turn-row.js';
import type { Attempt, StepDraft } from '../state/attempt.js';
import type { AttemptContext } from '../state/attempt-context.js';
import { addOverhead } from '../state/turn-state.js';
import { TypedError } from '../../errors/typed-error.js';
import type { Retrying } from '../../provider/send-again.js';
import { providerDetails } from '../../provider/provider-errors.js';
import { fallbacksOf, type ResolvedOptions } from '../../storage/shapes/stored-options.js';

export interface Discarded {
  step: number;
  /** The call's usage, as far as the provider reported it. */
  usage: Usage;
  remedy: Remedy;
}

/**
 * Discards a step's reply and makes the run ready for another call. The reply's usage counts toward
 * every budget, and the model that the turn goes on with is stored: a recovered attempt goes on
 * with the same.
 *
 * @throws the lease's reason when it ends during the delay of a retry.
 */
export async function applyRemedy(
  run: AttemptContext,
  { step, usage, remedy }: Discarded,
): Promise<void> {
  const { progress, turn } = run;
  const reserved = takeReservation(progress.draft);
  const discarded = addUsage(progress.discarded, usage);
  const options = remedy.type === 'fallback' ? withModel(run, remedy.model, step) : undefined;
  if (remedy.type === 'fallback') noteFallback(run, remedy);
  await run.writer.commit(
    [{ type: 'step.discarded', step }, describeRemedy(turn, remedy)],
    [
      options === undefined
        ? storeDiscarded({ discardedUsage: discarded })
        : storeFallback({ discardedUsage: discarded, options }),
      ...(reserved === undefined ? [] : [settlement(reserved, usage)]),
    ],
  );
  progress.draft = undefined;
  progress.discarded = discarded;
  progress.overhead = addUsage(progress.overhead, usage);
  // The discarded usage has the price of the model that was called.
  progress.state = addOverhead(progress.state, usage, turn.options.options.costLimit);
  if (options !== undefined) goOnWith(run, options);
  if (remedy.type === 'retry') {
    await untilAborted(pause(run.clock, remedy.afterMs), run.lease.signal);
  }
}

function goOnWith(run: AttemptContext, options: TurnRow['options']): void {
  run.turn.options = options;
  const { prefix } = run.conversation;
  const { hasTools } = run.model;
  Object.assign(run.model, describeModel(run, options.options, { prefix, hasTools }));
}

/** Failures of a model that the next turn would wait for as well. */
const outages: readonly FallbackReason[] = ['overloaded', 'unavailable', 'rate-limited'];

/** Counts a fallback, and remembers a model that does not answer. */
function noteFallback({ services, turn }: Attempt, { model, reason }: Fallback): void {
  services.metrics.modelFallbacks.inc({ model, reason });
  if (outages.includes(reason)) services.outages.failed(turn.options.options.model);
}

/**
 * Begins a turn with its next model where its own did not answer a moment ago: every turn would wait for it once more.
 */
export async function beginElsewhere(run: AttemptContext, step: number): Promise<void> {
  const { turn, services, progress } = run;
  const { options } = turn.options;
  const { model: own, fallbackFrom } = options;
  if (progress.steps.length > 0 || fallbackFrom !== undefined || !services.outages.isOut(own))
    return;
  const model = fallbacksOf(options).find((name) => name !== own && !services.outages.isOut(name));
  if (model === undefined) return;
  const remedy = { type: 'fallback', model, reason: 'outage' } as const;
  services.metrics.modelFallbacks.inc({ model, reason: remedy.reason });
  const elsewhere = withModel(run, model, step);
  await run.writer.commit(
    [describeRemedy(turn, remedy)],
    [storeFallback({ discardedUsage: progress.discarded, options: elsewhere })],
  );
  goOnWith(run, elsewhere);
}

const storeDiscarded = updateTurnKind(turns, ['discardedUsage']);
const storeFallback = updateTurnKind(turns, ['discardedUsage', 'options']);

/** `fallbackFrom` stays the turn's own model, however often it falls back. */
function withModel(
  { turn: { options }, services: { models } }: Attempt,
  model: string,
  step: number,
): TurnRow['options'] {
  const { costLimit, ...rest } = options.options;
  const price = models.describe(model).price ?? costLimit?.price;
  return {
    ...options,
    options: {
      ...rest,
      model,
      fallbackFrom: rest.fallbackFrom ?? rest.model,
      fallbackStep: step,
      ...(costLimit === undefined || price === undefined
        ? {}
        : { costLimit: { ...costLimit, price } }),
    },
    provenance: { ...options.provenance, model: 'fallback' },
  };
}

function describeRemedy({ options }: TurnRow, remedy: Remedy): TurnEventBody {
  const { model: from } = options.options;
  if (remedy.type === 'retry') {
    return retryNotice({ ...remedy, reason: 'overloaded' });
  }
  const { model: to, reason } = remedy;
  return clientNotice(
    'step',
    'model-fallback',
    `${causes[reason](from)} The turn goes on with ${to}.`,
    { from, to, reason },
  );
}

/** The notice that the model is asked again: after an overload in its reply, or a failure before its answer. */
export function retryNotice({
  reason,
  afterMs,
  retry,
  maxRetries,
}: Pick<Retrying, 'reason' | 'afterMs' | 'retry' | 'maxRetries'>): NoticePosted {
  return clientNotice(
    'step',
    'model-retry',
    `${retryCauses[reason]} The step is tried again in ${(afterMs / 1_000).toFixed(1)} s.`,
    { reason, afterMs, retry, maxRetries },
  );
}

const retryCauses: Record<Retrying['reason'], string> = {
  overloaded: 'The provider is overloaded.',
  'rate-limited': 'The provider takes no more requests for a moment.',
  unavailable: 'The provider does not answer as it should.',
};

const causes: Record<FallbackReason, (model: string) => string> = {
  overloaded: (model) => `${model} is overloaded.`,
  'model-not-found': (model) => `The provider does not have ${model}.`,
  refusal: (model) => `${model} declined to go on.`,
  unavailable: (model) => `${model} does not answer.`,
  'rate-limited': (model) => `${model} takes no more requests for a while.`,
  outage: (model) => `${model} did not answer a moment ago.`,
};

/** Why a turn goes on with another model. `outage`: as it begins, by what happened to an earlier turn. */
export const fallbackReasons = [
  'overloaded',
  'model-not-found',
  'refusal',
  'unavailable',
  'rate-limited',
  'outage',
] as const;
export type FallbackReason = (typeof fallbackReasons)[number];

interface Fallback {
  type: 'fallback';
  model: string;
  reason: FallbackReason;
}

/** The answer to a failed model call, instead of the end of the turn. */
export type Remedy =
  | { type: 'retry'; afterMs: number; retry: number; maxRetries: number }
  | Fallback;

/** The model to go on with after the turn's current one; undefined: there is none. */
export function nextFallback(
  options: Pick<ResolvedOptions, 'model' | 'fallbackModel' | 'fallbackModels' | 'fallbackFrom'>,
): string | undefined {
  const { model, fallbackFrom } = options;
  const names = fallbacksOf(options);
  // The first of them may be the turn's own model as well.
  const at = fallbackFrom === undefined ? -1 : names.indexOf(model);
  return names.slice(at + 1).find((name) => name !== model && name !== fallbackFrom);
}

/** A call whose reply is not kept. */
export interface FailedCall {
  /** The error that was thrown, or `refusal` for a reply that the model declined to go on with. */
  outcome: unknown;
  /** Whether text of its reply was shown. */
  hasText: boolean;
  /** Retries of the step with this model so far. */
  retries: number;
  maxRetries: number;
  /** The model to go on with; undefined where there is none, or it is the one that was called. */
  fallbackModel: string | undefined;
  /** Milliseconds that the turn has left. */
  leftMs: number;
  /** A random number from 0 to 1. */
  random: number;
}

/** The delays before a step is tried again. */
const retryDelays: RetryDelays = { firstMs: 500, maxMs: 8_000 };

/**
 * Decides whether a failed call is made again, and by which model; undefined where its outcome
 * stands. An overload inside the stream is retried with the same model first: nothing else retries
 * it, while the provider does before the stream. Text that a reader has is not discarded for an overload or
 * a broken connection, whose turn may be sent again; after a refusal it is, as the provider demands. Pure.
 */
export function chooseRemedy(call: FailedCall): Remedy | undefined {
  if (call.outcome === 'refusal') return fallback(call, 'refusal');
  const { reason, inStream, category } = providerDetails(call.outcome);
  switch (reason) {
    case 'MODEL_NOT_FOUND':
      return fallback(call, 'model-not-found');
    case 'OVERLOADED': {
      if (call.hasText) return undefined;
      const { retries, maxRetries } = call;
      const afterMs = retryDelay(retryDelays, retries, call.random);
      const mayRetry = inStream === true && retries < maxRetries && afterMs < call.leftMs;
      if (mayRetry) return { type: 'retry', afterMs, retry: retries + 1, maxRetries };
      return fallback(call, 'overloaded');
    }
    default:
      return call.hasText || !mayPass(call.outcome)
        ? undefined
        : fallback(call, category === 'RATE_LIMITED' ? 'rate-limited' : 'unavailable');
  }
}

/** Whether a failure is of the place or the way to it, and not of the request, the key or the account. */
function mayPass(outcome: unknown): boolean {
  return outcome instanceof TypedError && outcome.type === 'SDK_FAILURE' && outcome.retryable;
}

function fallback({ fallbackModel }: FailedCall, reason: FallbackReason): Remedy | undefined {
  return fallbackModel === undefined
    ? undefined
    : { type: 'fallback', model: fallbackModel, reason };
}

/** What is known of a call whose reply is lost. */
export function describeLost(
  { turn, model, deadline }: AttemptContext,
  { parts, openText }: StepDraft,
  call: Pick<FailedCall, 'outcome' | 'retries'>,
): FailedCall {
  return {
    ...call,
    hasText: openText.length > 0 || parts.some((part) => part.type === 'text' && part.text !== ''),
    maxRetries: model.overloadRetries,
    fallbackModel: nextFallback(turn.options.options),
    leftMs: deadline.leftMs,
    random: Math.random(),
  };
}

/** Counts a call that failed, by the category of its error. */
export function countFailure({ services }: Attempt, error: unknown): void {
  const { category } = providerDetails(error);
  services.metrics.providerErrors.inc({
    category: typeof category === 'string' ? category : 'other',
  });
}

/** Whether anything of a reply has come, which readers have then. */
export function hasBegun({ parts, openText, openThinking, openInput }: StepDraft): boolean {
  return [parts, openText, openThinking, openInput].some((pieces) => pieces.length > 0);
}
