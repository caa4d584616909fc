import type { SessionMissing } from '../../session/session-errors.js';
import type { ListedError } from '../../errors/describe-errors.js';
import { TypedError, invalidRequest } from '../../errors/typed-error.js';

/**
 * What a route that takes a turn may refuse, whichever its wire, for the end of its list: errors of one status are
 * described in the order of the list.
 */
export const turnErrors = [
  'INVALID_REQUEST',
  'ATTACHMENT_FAILURE',
  'SDK_FAILURE/refused',
  'WORKING_ROOT_INACCESSIBLE',
  'WORKING_ROOT_CONFLICT',
  'IDEMPOTENCY_KEY_REUSED',
  'TOO_MANY_TURNS',
  'BUDGET_EXHAUSTED',
  'MISSING_API_KEY',
  'SHUTTING_DOWN',
  'QUEUE_UNAVAILABLE',
] as const satisfies readonly ListedError[];

/** What a route that follows a turn may refuse. */
export const streamErrors = [
  'INVALID_REQUEST',
  'TURN_NOT_FOUND',
  'STREAM_EXPIRED',
] as const satisfies readonly ListedError[];

export function turnInProgress(sessionId: string): TypedError {
  const message =
    "A turn is already running in this session, or waits for an answer. Send the message with opts.onBusy 'enqueue', 'steer' or 'interrupt', wait for the turn's end, or interrupt it: POST /api/harness/interrupt.";
  return sessionBusy(message, { sessionId });
}

/** The turn is stored, and the answer to its request is not coming for now. */
export function queueUnavailable(turnId: string): TypedError {
  return new TypedError('QUEUE_UNAVAILABLE', {
    message: `Turn ${turnId} is accepted and stored, but cannot start at the moment: the queue or the database takes no writes. It starts by itself once they do. Send this request again with the same Idempotency-Key to wait for it, or follow it: GET /api/harness/turns/${turnId}/events.`,
    details: { turnId },
  });
}

/** A turn takes the place of others, of which one has not ended. */
export function replacedRuns(sessionId: string): TypedError {
  const message =
    "opts.replaces is for turns that have ended, and a turn of this session has not. Send the message with opts.onBusy 'interrupt', which ends it first, or wait for its end.";
  return sessionBusy(message, { sessionId });
}

/**
 * The session has a turn that has not ended: when it has, the same request may be taken.
 *
 * @param message in the words of a wire.
 */
export function sessionBusy(message: string, details?: object): TypedError {
  return new TypedError('TURN_IN_PROGRESS', { message, details });
}

export function turnNotFound(turnId: string): TypedError {
  return new TypedError('TURN_NOT_FOUND', {
    message: `There is no turn ${turnId.slice(0, 120)}. It may have been deleted with its session.`,
    details: { turnId: turnId.slice(0, 120) },
  });
}

/** A turn that a client names beside a session, which does not have it. */
export function turnNotInSession(turnId: string, sessionId: string): TypedError {
  const shown = turnId.slice(0, 120);
  return new TypedError('TURN_NOT_FOUND', {
    message: `Session ${sessionId} has no turn ${shown}. GET /api/harness/sessions/${sessionId}/turns lists its turns.`,
    details: { turnId: shown, sessionId },
  });
}

/** The history that a fork is to have goes on. */
export function forkOfUnended(sessionId: string, turnId: string): TypedError {
  const message = `Turn ${turnId} has not ended, and only ended turns can be forked. Wait for its end, interrupt it (POST /api/harness/interrupt), or fork at an earlier turn.`;
  return sessionBusy(message, { sessionId, turnId });
}

export function forkOfSubagent(sessionId: string, parentTurnId: string): TypedError {
  return invalidRequest(
    `${sessionId} is the session of a subagent, and cannot be forked by itself. Fork the session of its parent, the turn ${parentTurnId}.`,
    { sessionId, parentTurnId },
  );
}

/** Only what was stored to its end can be replayed. */
export function replayOfUnended(sessionId: string, turnId: string): TypedError {
  const message = `Turn ${turnId} has not ended, and only ended turns can be replayed. Wait for its end, or interrupt it: POST /api/harness/turns/${turnId}/interrupt.`;
  return sessionBusy(message, { sessionId, turnId });
}

export function replayOfReplay(turnId: string, recorded: string): TypedError {
  return invalidRequest(
    `Turn ${turnId} is a replay itself, and its tools did not run. Replay the recorded turn ${recorded}.`,
    { turnId, replayOf: recorded },
  );
}

export function replayOfSubagent(turnId: string, parentTurnId: string): TypedError {
  return invalidRequest(
    `Turn ${turnId} is a subagent's, and cannot be replayed by itself. Replay its parent, the turn ${parentTurnId}.`,
    { turnId, parentTurnId },
  );
}

/** A replay has one turn: another one would run tools where nobody sees it. */
export function replayTakesNoTurns(sessionId: string, turnId: string): TypedError {
  return invalidRequest(
    `Session ${sessionId} is a replay of the turn ${turnId}, and takes no other turns. Fork it, and go on in the fork: POST /api/harness/sessions/${sessionId}/fork.`,
    { sessionId, replayOf: turnId },
  );
}

/** An option that says where the turn is to stand, which a replay does by itself. */
export function replayReplaces(): TypedError {
  return invalidRequest(
    "'opts.replaces' cannot be used in a replay, which has a session of its own; leave it out",
  );
}

export function noActiveTurn(sessionId: string): TypedError {
  return new TypedError('SESSION_NOT_FOUND', {
    message: `No active turn in session ${sessionId}; there is nothing to interrupt.`,
    details: { sessionId, reason: 'NO_ACTIVE_TURN' satisfies SessionMissing },
  });
}

export function nothingToCompact(sessionId: string): TypedError {
  return invalidRequest(
    `There is nothing to compact in session ${sessionId}: its last turn is always kept whole. Compact it after another turn.`,
    { sessionId },
  );
}

export function noSummary(model: string): TypedError {
  return new TypedError('SDK_FAILURE', {
    case: 'unreadable',
    message: `${model} gave no summary; nothing was changed. Try again, or choose another model.`,
    details: { model },
  });
}

/** The error of a turn whose processes died each time: its own work may be what ends them. */
export function attemptsExhausted(turnId: string, most: number): TypedError {
  return new TypedError('ATTEMPTS_EXHAUSTED', {
    message: `The turn has failed: in each of its last ${most} attempts the process died or lost the turn before anything new was stored (TURNPIKE_MAX_ATTEMPTS). Its earlier steps are in the conversation. Send another message; if this happens again, give the operator the turn's id ${turnId}.`,
    details: { turnId, attempts: most },
  });
}

/**
 * The error of a request whose client left. No client gets it: it keeps the departure out of the
 * log of faults.
 */
export function clientLeft(): TypedError {
  return new TypedError('CLIENT_LEFT', {
    message: 'The client left before there was an answer. Send the request again.',
  });
}

export function queueFull(queueDepth: number): TypedError {
  return new TypedError('QUEUE_FULL', {
    message: `${queueDepth} turns are queued already. Nothing was stored; try again in a few seconds.`,
    details: { queueDepth },
  });
}

export function sessionQueueFull(sessionId: string, most: number): TypedError {
  return new TypedError('SESSION_QUEUE_FULL', {
    message: `${most} turns or messages are held in session ${sessionId} already (TURNPIKE_SESSION_QUEUE). Nothing was stored; send this again when one has ended.`,
    details: { sessionId, limit: most },
  });
}

export function tooManyTurns(limit: number): TypedError {
  return new TypedError('TOO_MANY_TURNS', {
    message: `${limit} of your turns have not ended, which is this key's limit. Nothing was stored; wait for one to end, or interrupt one.`,
    details: { limit },
  });
}

/** Files are stored and counted with the turn that names them, when it is accepted. */
export function steeringTakesNoFiles(): TypedError {
  return invalidRequest(
    "A message that is steered into a running turn takes no attachments. Send it with opts.onBusy 'enqueue', or without them.",
  );
}

/** A turn ends with one object, by the schema that it was accepted with. */
export function steeringTakesNoOutput(): TypedError {
  return invalidRequest(
    "A message that is steered into a running turn takes no opts.output. Send it with opts.onBusy 'enqueue', or without it.",
  );
}

export function idempotencyKeyReused(turnId: string): TypedError {
  return new TypedError('IDEMPOTENCY_KEY_REUSED', {
    message:
      'This Idempotency-Key was used in this session with another body. Send the same body to join that turn, or a new key.',
    details: { turnId },
  });
}

export function turnSuperseded(turnId: string, supersededBy: string): TypedError {
  return new TypedError('TURN_SUPERSEDED', {
    message: `Turn ${turnId} is no longer in the conversation: ${supersededBy} replaced it, or a turn before it. Replace a turn that is in the conversation, or fork the session at ${turnId}.`,
    details: { turnId, supersededBy },
  });
}

export function forkKeyReused(sessionId: string): TypedError {
  return new TypedError('IDEMPOTENCY_KEY_REUSED', {
    message:
      'This Idempotency-Key forked this session at another point. Send the same body to get that fork, or a new key.',
    details: { sessionId },
  });
}

export function streamExpired(turnId: string, sessionId: string): TypedError {
  return new TypedError('STREAM_EXPIRED', {
    message: `The events of turn ${turnId} are no longer kept (TURNPIKE_ARCHIVE_KEEP_DAYS). The messages are in GET /api/harness/sessions/${sessionId}/messages.`,
    details: { turnId, sessionId },
  });
}

export function optionsTooLong(limit: number): TypedError {
  return new TypedError('BODY_TOO_LARGE', {
    message: `The turn's options, with the client's tools, are longer than the ${limit} characters that TURNPIKE_MAX_BODY_BYTES allows. Send fewer or shorter ones.`,
    details: { maxRequestBytes: limit },
  });
}

export function messageTooLong(message: string, limit: number): TypedError {
  return invalidRequest(
    `'message' has ${message.length} characters; the limit is ${limit}. Send the rest as an attachment, or raise TURNPIKE_MAX_MESSAGE_CHARS.`,
    { limit },
  );
}
