import { describe, expect, it } from '@jest/globals';
import type { ModeBounds } from './option-rule.js';
import { boundMode } from './permission-mode.js';

const free: ModeBounds = { ceiling: 'acceptEdits', mayApprove: true, inherited: 'direct' };
const bound = (
  value: string,
  bounds: Partial<ModeBounds> = {},
  from: 'opts' | 'session' = 'opts',
) => boundMode({ value, from }, { ...free, ...bounds });

describe('boundMode', () => {
  it.each([
    ['direct', 'direct'],
    ['PLAN', 'plan'],
    ['dontask', 'dontAsk'],
    [' AcceptEdits ', 'acceptEdits'],
  ])('takes %j for %s, without a word', (given, mode) => {
    expect(bound(given)).toEqual({ mode, problems: [] });
  });

  it.each(['yolo', 'thread', 'plan!', 'accept-edits', 'bypassPermissions', ''])(
    'takes %j for plan, with a problem',
    (given) => {
      expect(bound(given, {}, 'session')).toEqual({
        mode: 'plan',
        problems: [
          {
            kind: 'held-mode',
            key: 'mode',
            given,
            using: 'plan',
            from: 'session',
            reason: 'is no mode; there is acceptEdits, direct, dontAsk, plan',
          },
        ],
      });
    },
  );

  it.each([
    ['plan', 'acceptEdits', 'plan'],
    ['dontAsk', 'direct', 'dontAsk'],
    ['direct', 'acceptEdits', 'direct'],
    ['direct', 'dontAsk', 'dontAsk'],
    ['direct', 'plan', 'plan'],
  ] as const)('the ceiling %s bounds %s to %s', (ceiling, given, mode) => {
    const bounded = bound(given, { ceiling });
    expect([bounded.mode, bounded.problems.length]).toEqual([mode, mode === given ? 0 : 1]);
  });

  it('lets nobody who may not approve say that nobody is asked', () => {
    const mine = { mayApprove: false };
    const bounded = bound('acceptEdits', mine);
    expect(bounded).toMatchObject({
      mode: 'direct',
      problems: [{ reason: 'needs a key with the scope approvals' }],
    });
    expect(bound('acceptEdits', { ...mine, ceiling: 'plan' }).mode).toBe('plan');
    for (const mode of ['direct', 'dontAsk', 'plan'] as const) {
      expect(bound(mode, mine)).toEqual({ mode, problems: [] });
    }
  });

  it('leaves what somebody else has loosened', () => {
    const mine = { mayApprove: false, inherited: 'acceptEdits' };
    expect(bound('acceptEdits', mine, 'session').mode).toBe('acceptEdits');
    expect(bound('acceptEdits', mine).mode).toBe('acceptEdits');
  });
});
