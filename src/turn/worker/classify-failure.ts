import { errorTable, type ErrorCode } from '../../errors/error-table.js';
import { TypedError } from '../../errors/typed-error.js';
import { FencedError } from '../../events/event-log.js';
import { assertNever } from '../../platform/assert-never.js';
import { retryAdvice } from '../../platform/retry-advice.js';
import { isDatabaseDown } from '../../storage/database-errors.js';
import { refusedWrite } from '../../storage/refused-writes.js';
import type { TurnFailure } from '../../storage/shapes/stored-turn.js';
import type { Ending } from '../loop/next-action.js';
import type { LeaseEnd } from '../state/lease.js';

export type FailureDecision =
  | { type: 'end'; ending: Ending; failure?: TurnFailure; fault?: unknown }
  /** The attempt that owns the turn, or the next start, ends it. */
  | { type: 'leave' };

/**
 * The fate of a turn whose loop threw. The lease's reason comes first: whatever a cancelled call
 * threw, the turn ended because it was cancelled. Pure.
 */
export function classifyFailure(thrown: unknown, reason: LeaseEnd | undefined): FailureDecision {
  switch (reason) {
    case 'lost':
    case 'shutdown':
      return { type: 'leave' };
    case 'interrupt':
    case 'disconnect':
    case 'session-deleted':
    case 'superseded':
    case 'parent-ended':
    case 'imported':
      return { type: 'end', ending: { outcome: 'interrupted', exitCode: 130, reason } };
    case 'deadline':
      return { type: 'end', ending: { outcome: 'limited', exitCode: 0, reason: 'timeout' } };
    case 'finished':
    case undefined:
      break;
    default:
      return assertNever(reason);
  }
  if (thrown instanceof FencedError) return { type: 'leave' };
  // No end can be stored now; when the lease is over the turn goes on, from what is stored.
  if (!(thrown instanceof TypedError) && isDatabaseDown(thrown)) return { type: 'leave' };
  const { errorType, ...rest } = failureOf(refusedWrite(thrown) ?? thrown);
  return {
    type: 'end',
    ending: { outcome: 'failed', exitCode: 1, reason: reasons[errorType] ?? errorType },
    failure: { errorType, ...rest },
    ...(thrown instanceof TypedError ? {} : { fault: thrown }),
  };
}

/** Reasons of the errors that do not end a turn as plain failures. */
const reasons: Readonly<Partial<Record<ErrorCode, string>>> = {
  ATTEMPTS_EXHAUSTED: 'attempts_exhausted',
};

function failureOf(thrown: unknown): TurnFailure {
  if (!(thrown instanceof TypedError)) {
    return {
      errorType: 'SDK_FAILURE',
      message: "Unexpected harness runtime error. The server has logged it under the turn's id.",
      status: errorTable.SDK_FAILURE.status,
      retryable: errorTable.SDK_FAILURE.retryable,
    };
  }
  const { type, message, status, details } = thrown;
  const known = details === undefined ? {} : { details };
  return { errorType: type, message, status, ...known, ...retryAdvice(thrown) };
}
