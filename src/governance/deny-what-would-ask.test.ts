import { describe, expect, it } from '@jest/globals';
import { denyWhatWouldAsk } from './deny-what-would-ask.js';

describe('denyWhatWouldAsk', () => {
  it.each([
    [
      { name: 'write', effect: 'edit' } as const,
      'permission denied: write needs an approval in mode direct, and approvals are not available yet. Use mode acceptEdits, or list write under auto_approve_tools in the persona.',
    ],
    [
      { name: 'bash', effect: 'command' } as const,
      'permission denied: bash needs an approval in mode direct, and approvals are not available yet. List bash under auto_approve_tools in the persona.',
    ],
  ])('denies $name', (tool, reason) => {
    const ask = { verdict: 'ask', rule: 'ask', reason: 'needs an approval' } as const;
    expect(denyWhatWouldAsk(ask, { tool, mode: 'direct' })).toEqual({
      verdict: 'deny',
      rule: 'ask',
      reason,
    });
  });

  it.each(['allow', 'deny'] as const)('leaves %s as it is', (verdict) => {
    const decision = { verdict, rule: 'r', reason: 'because' };
    const tool = { name: 'write', effect: 'edit' } as const;
    expect(denyWhatWouldAsk(decision, { tool, mode: 'direct' })).toBe(decision);
  });
});
