import type { Usage } from '../../storage/shapes/stored-step.js';
import { addUsage, clientNotice, type TurnEventBody } from '../../events/turn-event.js';
import { pause } from '../../platform/clock.js';
import { untilAborted, retryDelay, type RetryDelays } from '../../platform/async/deadlines.js';
import { updateTurnKind } from '../../storage/write-kind.js';
import { turns } from '../../storage/schema.js';
import { settlement } from '../../governance/budgets/usage-days.js';
import { takeReservation } from '../budgets/estimate-call.js';
import { describeModel } from '../prompt/model-request.js';
import type { TurnRow } from '../state/turn-row.js';
import type { Attempt } from '../state/attempt.js';
import type { AttemptContext } from '../state/attempt-context.js';
import { addOverhead } from '../state/turn-state.js';
import { providerDetails } from '../../provider/provider-errors.js';

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
  if (options !== undefined) {
    turn.options = options;
    const { prefix } = run.conversation;
    const { hasTools } = run.model;
    Object.assign(run.model, describeModel(run, options.options, { prefix, hasTools }));
  }
  if (remedy.type === 'retry') {
    await untilAborted(pause(run.clock, remedy.afterMs), run.lease.signal);
  }
}

const storeDiscarded = updateTurnKind(turns, ['discardedUsage']);
const storeFallback = updateTurnKind(turns, ['discardedUsage', 'options']);

/** A turn falls back once: `fallbackFrom` records it. */
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
      fallbackFrom: rest.model,
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
    const { afterMs } = remedy;
    return clientNotice(
      'step',
      'model-retry',
      `The provider is overloaded. The step is tried again in ${(afterMs / 1_000).toFixed(1)} s.`,
      { reason: 'overloaded', afterMs },
    );
  }
  const { model: to, reason } = remedy;
  return clientNotice(
    'step',
    'model-fallback',
    `${causes[reason](from)} The turn goes on with ${to}.`,
    { from, to, reason },
  );
}

const causes: Record<Extract<Remedy, { type: 'fallback' }>['reason'], (model: string) => string> = {
  overloaded: (model) => `${model} is overloaded.`,
  'model-not-found': (model) => `The provider does not have ${model}.`,
  refusal: (model) => `${model} declined to go on.`,
};

export type FallbackReason = 'overloaded' | 'model-not-found' | 'refusal';

/** The answer to a failed model call, instead of the end of the turn. */
export type Remedy =
  | { type: 'retry'; afterMs: number }
  | { type: 'fallback'; model: string; reason: FallbackReason };

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
 * it, while the SDK retries before the stream. Text that a reader has is not discarded for an
 * overload, whose turn may be sent again; after a refusal it is, as the provider demands. Pure.
 */
export function chooseRemedy(call: FailedCall): Remedy | undefined {
  if (call.outcome === 'refusal') return fallback(call, 'refusal');
  const { reason, inStream } = providerDetails(call.outcome);
  switch (reason) {
    case 'MODEL_NOT_FOUND':
      return fallback(call, 'model-not-found');
    case 'OVERLOADED': {
      if (call.hasText) return undefined;
      const afterMs = retryDelay(retryDelays, call.retries, call.random);
      const mayRetry = call.retries < call.maxRetries && afterMs < call.leftMs;
      if (inStream === true && mayRetry) return { type: 'retry', afterMs };
      return fallback(call, 'overloaded');
    }
    default:
      return undefined;
  }
}

function fallback({ fallbackModel }: FailedCall, reason: FallbackReason): Remedy | undefined {
  return fallbackModel === undefined
    ? undefined
    : { type: 'fallback', model: fallbackModel, reason };
}
