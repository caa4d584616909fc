import { describe, expect, it } from '@jest/globals';
import { someApproval } from '../../../test/support/turn/store-approval.js';
import { logStart } from '../../events/cursor.js';
import { noUsage } from '../../events/turn-event.js';
import type { ChildTurn } from '../state/attempt.js';
import type { Attempt } from '../state/attempt.js';
import { findArrived } from './build-context.js';

type Waited = Pick<Attempt, 'approvals' | 'children'> & { parkedAttempt: number | null };

const child = (more: Partial<ChildTurn>): ChildTurn => ({
  id: 'turn_2',
  callId: 'c1',
  agent: 'HELPER',
  tokenBudget: 1_000,
  costLimit: undefined,
  usage: noUsage,
  waitingSince: null,
  relayedTo: logStart,
  isOver: false,
  ...more,
});
const textsOf = ({ parkedAttempt, ...waited }: Partial<Waited>): string[] => {
  const turn = { attempt: 3, parkedAttempt: parkedAttempt ?? null };
  const found = findArrived({ turn, approvals: [], children: [], ...waited });
  return found.map(({ id, text }) => `${id}: ${text}`);
};

describe('what arrived while a turn was parked', () => {
  const pick = { id: 'appr_1', kind: 'client-tool', name: 'pick' } as const;

  it('is what its client answered, whichever attempt went on with it', () => {
    const approvals = [
      someApproval({ ...pick, decision: 'answer' }),
      someApproval({ ...pick, id: 'appr_2', decision: 'answer', isError: true }),
    ];
    for (const parkedAttempt of [1, 2]) {
      expect(textsOf({ approvals, parkedAttempt })).toEqual([
        'appr_1: pick has ended: its client answered while the turn waited.',
        'appr_2: pick has failed: its client answered while the turn waited.',
      ]);
    }
  });

  it('is nothing that was declined, or is a leave to run a call', () => {
    const approvals = [
      someApproval({ ...pick, decision: null }),
      someApproval({ ...pick, decision: 'deny' }),
      someApproval({ decision: 'approve' }),
    ];
    expect(textsOf({ approvals, parkedAttempt: 2 })).toEqual([]);
  });

  it('is a subagent that has ended without a notice', () => {
    const children = [
      child({}),
      child({ id: 'turn_3', usage: undefined }),
      child({ id: 'turn_4', isOver: true }),
    ];
    expect(textsOf({ children, parkedAttempt: 2 })).toEqual([
      'turn_2: The subagent HELPER has ended while the turn waited.',
    ]);
  });

  it('is no subagent that ended while a worker had the turn, or had lost it', () => {
    const children = [child({})];
    expect(textsOf({ children })).toEqual([]);
    expect(textsOf({ children, parkedAttempt: 1 })).toEqual([]);
  });
});
