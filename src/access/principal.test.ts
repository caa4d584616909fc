import { describe, expect, it } from '@jest/globals';
import { dayLimitsOf, limitsOf, localPrincipal } from './principal.js';

const defaults = { requestsPerMinute: 60, concurrentTurns: 4, tokensPerDay: 0, usdPerDay: 2 };

describe('limitsOf', () => {
  it('takes the key’s own, and the server’s for the rest', () => {
    expect(limitsOf({ requestsPerMinute: 0, usdPerDay: 9.5 }, defaults)).toEqual({
      requestsPerMinute: 0,
      concurrentTurns: 4,
      tokensPerDay: 0,
      usdPerDay: 9.5,
    });
  });
});

describe('localPrincipal', () => {
  it('manages no keys', () => {
    expect(localPrincipal(defaults)).toEqual({
      id: 'local',
      credential: { kind: 'none' },
      scopes: ['turns', 'approvals'],
      approves: [],
      projectRoots: [],
      limits: defaults,
    });
  });
});

describe('dayLimitsOf', () => {
  it.each([
    [{ tokensPerDay: 0, usdPerDay: 0 }, undefined],
    [
      { tokensPerDay: 5, usdPerDay: 0, requestsPerMinute: 1 },
      { tokensPerDay: 5, usdPerDay: 0 },
    ],
    [
      { tokensPerDay: 0, usdPerDay: 0.5 },
      { tokensPerDay: 0, usdPerDay: 0.5 },
    ],
  ])('of %j are %j', (limits, expected) => {
    expect(dayLimitsOf(limits)).toEqual(expected);
  });
});
