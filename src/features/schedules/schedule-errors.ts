import type { GrantFault } from '../../access/face.js';
import { invalidRequest, TypedError } from '../../errors/typed-error.js';

export function scheduleNotFound(key: string): TypedError {
  return new TypedError('SCHEDULE_NOT_FOUND', {
    message: `There is no schedule '${key.slice(0, 100)}'. GET /api/harness/schedules lists yours.`,
  });
}

/** Schedules have no versions: the header says that there is to be none. */
export function onlyAnyMatch(): TypedError {
  return invalidRequest("'If-None-Match' must be '*'");
}

/** A new schedule would take the place of one. */
export function scheduleExists(key: string): TypedError {
  return new TypedError('SCHEDULE_EXISTS', {
    message: `You have a schedule '${key}' already. Choose another key, or change that one.`,
    details: { key, param: 'key' },
  });
}

export function scheduleLimit(most: number): TypedError {
  return new TypedError('SCHEDULE_LIMIT', {
    message:
      most === 0
        ? 'Schedules are off on this server (TURNPIKE_SCHEDULES_PER_PRINCIPAL=0).'
        : `You have ${most} schedules already, which is the limit. Delete one, or raise TURNPIKE_SCHEDULES_PER_PRINCIPAL.`,
    details: { most },
  });
}

/** @param param the field that is wrong: forms show the message beside it. */
export function invalidField(param: string, message: string): TypedError {
  return invalidRequest(message, { param });
}

export function nothingToChange(): TypedError {
  return invalidRequest(
    "Send at least one of 'cron', 'tz', 'session', 'agent', 'projectRoot', 'message', 'opts', 'overlap' and 'catchUpMs'",
  );
}

/** The turn before has not ended, and the schedule's turns are not to overlap. */
export function scheduleOverlaps(turnId: string): TypedError {
  return new TypedError('TURN_IN_PROGRESS', {
    message: `The schedule's turn ${turnId} has not ended. Wait for its end or interrupt it; 'overlap' decides what happens at a fire time until then.`,
    details: { turnId },
  });
}

/** @param fault completes "The schedule's API key is …". */
export function keyInvalid(fault: string): TypedError {
  return new TypedError('UNAUTHENTICATED', {
    message: `The schedule's API key is ${fault}. Resume the schedule with a valid key, which it uses from then on.`,
  });
}

/** The grant of a schedule ended: its owner sent no token for 90 days, or has lost access or role. */
export function grantEnded(fault: GrantFault): TypedError {
  const why =
    fault === 'over'
      ? 'The grant that the schedule acts by is over: its owner sent no token for 90 days, or lost access'
      : 'No group of the schedule’s owner has a role that may run turns';
  return new TypedError('UNAUTHENTICATED', {
    message: `${why}. Resume the schedule with a valid token, whose rights it has from then on.`,
    details: { reason: fault === 'over' ? 'ENDED' : 'NO_ROLE' },
  });
}

export function schedulePaused(failures: number): TypedError {
  return new TypedError('SCHEDULE_PAUSED', {
    message: `The last ${failures} runs failed, and the schedule is paused. Correct it, then resume it.`,
    details: { failures },
  });
}
