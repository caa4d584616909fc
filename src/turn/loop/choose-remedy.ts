import { retryDelay, type RetryDelays } from '../../platform/async/retry.js';
import { providerDetails } from '../../provider/provider-errors.js';

export type FallbackReason = 'overloaded' | 'model-not-found' | 'refusal';

/** The answer to a failed model call, instead of the end of the turn. */
export type Remedy =
  | { type: 'retry'; afterMs: number }
  | { type: 'fallback'; model: string; reason: FallbackReason };

/** A call whose reply is not kept. */
export interface LostCall {
  /** The error that was thrown, or `refusal` for a reply that the model declined to go on with. */
  outcome: unknown;
  /** Whether text of its reply was shown. */
  hasText: boolean;
  /** Retries of the step with this model so far. */
  retries: number;
  mostRetries: number;
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
export function chooseRemedy(call: LostCall): Remedy | undefined {
  if (call.outcome === 'refusal') return fallback(call, 'refusal');
  const { reason, inStream } = providerDetails(call.outcome);
  switch (reason) {
    case 'MODEL_NOT_FOUND':
      return fallback(call, 'model-not-found');
    case 'OVERLOADED': {
      if (call.hasText) return undefined;
      const afterMs = retryDelay(retryDelays, call.retries, call.random);
      const mayRetry = call.retries < call.mostRetries && afterMs < call.leftMs;
      if (inStream === true && mayRetry) return { type: 'retry', afterMs };
      return fallback(call, 'overloaded');
    }
    default:
      return undefined;
  }
}

function fallback({ fallbackModel }: LostCall, reason: FallbackReason): Remedy | undefined {
  return fallbackModel === undefined
    ? undefined
    : { type: 'fallback', model: fallbackModel, reason };
}
