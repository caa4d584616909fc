import { invalidRequest, TypedError } from '../../errors/typed-error.js';
import type { SessionMissing } from '../../session/face.js';
import { sessionBusy } from '../../turn/face.js';

const shown = (id: string): string => id.slice(0, 120);

export function chatNotFound(chatId: string): TypedError {
  return new TypedError('SESSION_NOT_FOUND', {
    message: `There is no chat ${shown(chatId)}. The first user message of a chat begins it.`,
    details: { chatId: shown(chatId), reason: 'NO_SUCH_SESSION' satisfies SessionMissing },
  });
}

export function badPage(): TypedError {
  return invalidRequest(
    "'before' must be a value that an earlier page of this chat gave as its 'before'",
  );
}

export function chatBusy(chatId: string): TypedError {
  const message = `Another message of chat ${shown(chatId)} is being answered, or waits for an approval. Answer that, wait for its end, stop it with POST /api/chat/{id}/stop, or send this one with opts.onBusy 'interrupt', which ends it first.`;
  return sessionBusy(message, { chatId: shown(chatId) });
}

export function nothingToStop(chatId: string): TypedError {
  return new TypedError('SESSION_NOT_FOUND', {
    message: `Nothing runs in chat ${shown(chatId)}: there is nothing to stop.`,
    details: { chatId: shown(chatId), reason: 'NO_ACTIVE_TURN' satisfies SessionMissing },
  });
}

/** A message that has no turn of its own: it was steered into one. */
export interface SteeredMessageRef {
  turnId: string;
  /** The client's id of the message that began the turn, or the server's. */
  firstId: string;
}

/** The error for a steered message that is said again: its turn answers the message before it, too. */
export function steeredIntoTurn({ turnId, firstId }: SteeredMessageRef): TypedError {
  return new TypedError('INVALID_REQUEST', {
    message: `That message was steered into the turn of message ${shown(firstId)}, and cannot be answered again without it. Regenerate the answer to ${shown(firstId)}, or send the text as a new message, with a new id.`,
    details: { turnId, messageId: shown(firstId) },
  });
}

/** The error for answers to questions that the chat did not ask. */
export function nothingAsked(chatId: string): TypedError {
  return new TypedError('APPROVAL_NOT_FOUND', {
    message: `The last message answers a question that chat ${shown(chatId)} did not ask. Read the chat again with GET /api/chat/{id}/stream, or send a user message.`,
    details: { chatId: shown(chatId) },
  });
}

/** Only clients of the harness learn where the server's instructions are. */
export function agentNotFound({ message }: TypedError, agent: string): TypedError {
  const details = { agent: shown(agent) };
  return new TypedError('PERSONA_NOT_FOUND', { message, details });
}
