import { describe, expect, it } from '@jest/globals';
import { TurnpikeError } from '../client/turnpike-client.js';
import { isRefusal } from './is-refusal.js';

describe('a refusal of the server', () => {
  const facts = { status: 404, message: 'It is gone.', retryable: false };

  it('is known by its code, whichever copy of the client threw it', () => {
    const foreign = Object.assign(new Error('It is gone.'), { code: 'SESSION_NOT_FOUND' });
    for (const error of [new TurnpikeError('SESSION_NOT_FOUND', facts), foreign]) {
      expect(isRefusal(error, 'SESSION_NOT_FOUND')).toBe(true);
      expect(isRefusal(error, 'TURN_NOT_FOUND')).toBe(false);
    }
    expect([isRefusal(new Error('x'), 'x'), isRefusal({ code: 'x' }, 'x')]).toEqual([false, false]);
  });
});
