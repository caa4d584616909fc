import { invalidRequest, TypedError } from '../../errors/typed-error.js';

export function feedbackNotFound(turnId: string, key: string): TypedError {
  return new TypedError('FEEDBACK_NOT_FOUND', {
    message: `The turn ${turnId} has no feedback ${key}. GET /api/harness/turns/${turnId}/feedback lists what it has.`,
  });
}

export function feedbackLimit(most: number): TypedError {
  return new TypedError('FEEDBACK_LIMIT', {
    message: `The turn has feedback for ${most} keys already. Change or delete one of them.`,
    details: { most },
  });
}

export function notAMessage(messageId: string): TypedError {
  return invalidRequest(`'messageId': the turn has no message ${messageId}`);
}
