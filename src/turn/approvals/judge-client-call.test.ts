import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { someApproval } from '../../../test/support/turn/store-approval.js';
import type { Verdict } from '../../governance/permissions/decide-permission.js';
import type { ApprovalRow } from './approval-writes.js';
import { type CallVerdict, judgeClientCall, type ClientCallQuestion } from './judge-call.js';

const createdAt = new Date('2026-01-01T00:00:00Z');
const asked = (more: Partial<ApprovalRow>): ApprovalRow[] => [
  someApproval({ kind: 'client-tool', name: 'pick', createdAt, ...more }),
];
const decided = (decision: ApprovalRow['decision'], more: Partial<ApprovalRow> = {}) =>
  asked({ decision, decidedBy: 'ann', decidedAt: new Date('2026-01-01T00:00:04Z'), ...more });

function judge(more: Partial<ClientCallQuestion> = {}, verdict: Verdict = 'allow'): CallVerdict {
  return judgeClientCall({
    name: 'pick',
    permission: { verdict, rule: 'some', reason: `because of ${verdict}` },
    fault: undefined,
    approvals: [],
    ...more,
  });
}

describe('a call of a client’s tool', () => {
  it.each<[string, ApprovalRow[], object]>([
    ['nobody was asked', [], { type: 'ask', kind: 'client-tool' }],
    ['it is asked', asked({}), { type: 'wait' }],
    [
      'it gave text',
      decided('answer', { output: 'red', isError: false }),
      { type: 'answer', status: 'success', output: 'red', durationMs: 4_000 },
    ],
    [
      'it failed',
      decided('answer', { output: 'No screen.', isError: true }),
      { type: 'answer', status: 'error', output: 'No screen.', durationMs: 4_000 },
    ],
    [
      'it was declined',
      decided('deny'),
      { status: 'refused', output: 'not run: the client declined the call.' },
    ],
    [
      'it was declined with words',
      decided('deny', { message: 'Later.' }),
      { status: 'refused', output: 'not run: the client declined the call: Later.' },
    ],
    [
      'the deadline passed',
      decided('deny', { decidedBy: 'deadline' }),
      { status: 'refused', output: expect.stringContaining('did not answer in time') },
    ],
  ])('%s', (_said, approvals, expected) => {
    expect(judge({ approvals })).toMatchObject(expected);
    // A client tool needs no permission, and an input that does not fit is refused before anybody
    // is asked.
    expect(judge({ approvals }, 'ask')).toEqual(judge({ approvals }));
    if (approvals.length > 0) {
      expect(judge({ approvals, fault: 'x' })).toEqual(judge({ approvals }));
    }
  });

  it('is denied by a rule, whatever was asked or answered', () => {
    for (const approvals of [[], asked({}), decided('answer', { output: 'red' })]) {
      expect(judge({ approvals }, 'deny')).toEqual({
        type: 'answer',
        status: 'denied',
        output: 'because of deny',
      });
    }
  });

  it('is not asked for with an input that does not fit', () => {
    expect(judge({ fault: 'title is required' })).toEqual({
      type: 'answer',
      status: 'error',
      output: 'pick: input is not valid: title is required',
    });
  });

  it('never runs here, and took as long as a ledger can say', () => {
    const anyDecision = fc.constantFrom(null, 'approve', 'deny', 'answer', 'cancelled' as const);
    const anyVerdict = fc.constantFrom('allow', 'ask', 'deny' as const);
    fc.assert(
      fc.property(anyDecision, anyVerdict, fc.date({ noInvalidDate: true }), (given, rule, at) => {
        const approvals = asked({ decision: given, decidedAt: at, output: 'x' });
        const verdict = judge({ approvals }, rule);
        expect(verdict.type).not.toBe('run');
        const { durationMs = 0 } = verdict.type === 'answer' ? verdict : {};
        expect(durationMs).toBeGreaterThanOrEqual(0);
        expect(durationMs).toBeLessThanOrEqual(2_147_483_647);
      }),
    );
  });
});
