import { TypedError } from '../../errors/typed-error.js';
import { sessionBusy } from '../../turn/state/turn-errors.js';

export function agentSessionBusy(): TypedError {
  return sessionBusy(
    'Another message of this session is being answered. Wait for its end, or leave session_id out to begin another session.',
  );
}

/** @param sessionId ULID. */
export function sessionEnds(sessionId: string): TypedError {
  return sessionBusy(
    `The turn that runs in session ${sessionId} is being interrupted and has not ended yet. Send the request again in a moment.`,
  );
}

/** @param sessionId ULID. */
export function sessionGone(sessionId: string): TypedError {
  return new TypedError('SESSION_NOT_FOUND', {
    message: `Session ${sessionId} was deleted before its answer was whole. Leave session_id out to begin a new one.`,
  });
}

/** @param messageId ULID. */
export function messageNotFound(agent: string, messageId: string): TypedError {
  return new TypedError('TURN_NOT_FOUND', {
    message: `Agent ${agent.slice(0, 120)} has no message ${messageId}. It may have gone with its session, which is kept for a while after its last use.`,
  });
}
