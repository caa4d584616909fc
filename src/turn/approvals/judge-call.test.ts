import { describe, expect, it } from '@jest/globals';
import { someApproval } from '../../../test/support/turn/store-approval.js';
import type { Verdict } from '../../governance/permissions/decide-permission.js';
import type { ApprovalRow } from './approval-writes.js';
import { effectiveInput, judgeCall, type CallQuestion, type CallVerdict } from './judge-call.js';

const ATTEMPT = 3;
const verdicts = ['allow', 'ask', 'deny'] as const;
const retries = ['safe', 'idempotent', 'never'] as const;
const policies = ['tell', 'ask'] as const;

function judge(verdict: Verdict, more: Partial<CallQuestion> = {}): CallVerdict {
  return judgeCall({
    name: 'deploy',
    input: { to: 'staging' },
    permission: { verdict, rule: 'some', reason: `because of ${verdict}` },
    fault: undefined,
    isLost: false,
    retry: 'never',
    approvals: [],
    attempt: ATTEMPT,
    unknownCalls: 'tell',
    ...more,
  });
}

/** A verdict in a word. */
function wordOf(verdict: CallVerdict): string {
  return verdict.type === 'answer' ? verdict.status : verdict.type;
}

const asked = (decision: ApprovalRow['decision'], more: Partial<ApprovalRow> = {}) =>
  someApproval({ decision, decidedBy: decision === null ? null : 'local', ...more });
const unknown = (decision: ApprovalRow['decision'], appliedAttempt: number | null = null) =>
  asked(decision, { kind: 'unknown-outcome', appliedAttempt });

/** Every case of permission verdict and decision for a call. */
const questions: [string, ApprovalRow[]][] = [
  ['nobody was asked', []],
  ['it is asked', [asked(null)]],
  ['yes', [asked('approve')]],
  ['yes, for the session', [asked('approve-session')]],
  ['no', [asked('deny')]],
  ['it was cancelled', [asked('cancelled')]],
];

describe('a call that never ran', () => {
  // Outcomes by permission verdict: allow, ask, deny.
  const table: Record<string, string> = {
    'nobody was asked': 'run ask denied',
    'it is asked': 'wait wait denied',
    yes: 'run run denied',
    'yes, for the session': 'run run denied',
    no: 'denied denied denied',
    'it was cancelled': 'denied denied denied',
  };

  it.each(questions)('%s', (decisions, approvals) => {
    for (const retry of retries) {
      for (const unknownCalls of policies) {
        const words = verdicts.map((verdict) =>
          wordOf(judge(verdict, { approvals, retry, unknownCalls })),
        );
        expect(words.join(' ')).toBe(table[decisions]);
      }
    }
  });

  it('is asked about with the reason of the rules', () => {
    expect(judge('ask')).toEqual({ type: 'ask', kind: 'tool', reason: 'because of ask' });
  });

  it('is asked about only where its input fits, and is denied whatever its input is', () => {
    const fault = 'number is required';
    expect(judge('ask', { fault })).toEqual({
      type: 'answer',
      status: 'error',
      output: 'deploy: input is not valid: number is required',
    });
    expect(wordOf(judge('deny', { fault }))).toBe('denied');
    // What a person decides about is judged by the decision; a run checks an input that was edited.
    for (const [, approvals] of questions.slice(1)) {
      expect(judge('ask', { approvals, fault })).toEqual(judge('ask', { approvals }));
    }
  });

  it('is answered with the reason of the rules', () => {
    expect(judge('deny')).toEqual({
      type: 'answer',
      status: 'denied',
      output: 'because of deny',
    });
  });

  it.each([
    ['local', null, 'permission denied: a person declined the call.'],
    ['local', 'Not now.', 'permission denied: a person declined the call: Not now.'],
    [
      'deadline',
      null,
      'permission denied: nobody approved the call in time. Go on without it, or ask again later.',
    ],
  ])('gives the model the reason of %s with %j', (decidedBy, message, output) => {
    const approvals = [asked('deny', { decidedBy, message })];
    expect(judge('ask', { approvals })).toEqual({ type: 'answer', status: 'denied', output });
  });
});

describe('a call whose process died', () => {
  it.each(verdicts)('runs again where that does no harm, and the rules %s it', (verdict) => {
    for (const [, approvals] of questions) {
      for (const unknownCalls of policies) {
        const more = { isLost: true, approvals, unknownCalls };
        const words = (['safe', 'idempotent'] as const).map((retry) =>
          wordOf(judge(verdict, { ...more, retry })),
        );
        expect(words).toEqual(verdict === 'deny' ? ['denied', 'unknown'] : ['run', 'run']);
      }
    }
  });

  // Outcomes by `unknownCalls`: tell, ask.
  it.each<[string, ApprovalRow[], string]>([
    ['nobody was asked', [], 'unknown ask'],
    ['it is asked', [unknown(null)], 'wait wait'],
    ['yes', [unknown('approve', ATTEMPT)], 'run run'],
    ['yes, and another attempt took note of it', [unknown('approve', 2)], 'unknown unknown'],
    ['yes, and no attempt took note of it', [unknown('approve')], 'unknown unknown'],
    ['no', [unknown('deny', ATTEMPT)], 'unknown unknown'],
    ['it was cancelled', [unknown('cancelled', ATTEMPT)], 'unknown unknown'],
  ])('may have had its effect: %s', (_said, approvals, expected) => {
    for (const verdict of ['allow', 'ask'] as const) {
      for (const [, before] of questions) {
        const words = policies.map((unknownCalls) =>
          wordOf(
            judge(verdict, { isLost: true, unknownCalls, approvals: [...before, ...approvals] }),
          ),
        );
        expect(words.join(' ')).toBe(expected);
      }
    }
  });

  it('may have had its effect, and the rules deny it now: whatever people said', () => {
    for (const unknownCalls of policies) {
      const approvals = [unknown('approve', ATTEMPT)];
      expect(judge('deny', { isLost: true, unknownCalls, approvals })).toMatchObject({
        status: 'unknown',
        output: expect.stringContaining('is not known'),
      });
    }
  });

  it('gives the model the message of the person', () => {
    const no = { ...unknown('deny', ATTEMPT), message: 'It is deployed.' };
    expect(judge('ask', { isLost: true, approvals: [no] })).toMatchObject({
      status: 'unknown',
      output: expect.stringMatching(/was not run again.* A person says: It is deployed\.$/),
    });
  });

  it('is asked about with what happened', () => {
    expect(judge('ask', { isLost: true, unknownCalls: 'ask' })).toEqual({
      type: 'ask',
      kind: 'unknown-outcome',
      reason: expect.stringContaining('the process that ran deploy died'),
    });
  });
});

describe('what a call runs with', () => {
  const edited = asked('approve', { editedInput: { to: 'nowhere' } });

  it('is what the model asked for, or what a person made of it', () => {
    expect(effectiveInput({ to: 'staging' }, [])).toEqual({ to: 'staging' });
    expect(effectiveInput({ to: 'staging' }, [asked('approve')])).toEqual({ to: 'staging' });
    expect(effectiveInput({ to: 'staging' }, [edited])).toEqual({ to: 'nowhere' });
  });

  it('is the same when it runs again', () => {
    const approvals = [edited, unknown('approve', ATTEMPT)];
    const run = { type: 'run', input: { to: 'nowhere' } };
    expect(judge('ask', { approvals: [edited] })).toEqual(run);
    expect(judge('ask', { approvals, isLost: true })).toEqual(run);
    expect(judge('ask', { approvals, isLost: true, retry: 'safe' })).toEqual(run);
  });
});

describe('a call that others decide about', () => {
  const awaits = [{ by: ['release'], count: 2, notRequester: true }];
  const permission = { verdict: 'ask', rule: 'some', reason: 'because of ask', awaits } as const;

  it('is asked of them, also when its process died', () => {
    expect(judge('ask', { permission })).toMatchObject({ type: 'ask', kind: 'tool', awaits });
    const lost = judge('ask', { permission, isLost: true, unknownCalls: 'ask' });
    expect(lost).toMatchObject({ type: 'ask', kind: 'unknown-outcome', awaits });
  });

  it('runs by their approval, and by nobody else’s', () => {
    const byThem = [asked('approve', { awaits })];
    expect(wordOf(judge('ask', { permission, approvals: byThem }))).toBe('run');
    // The input was edited, or the policy changed, since its requester approved it.
    for (const decision of ['approve', 'approve-session'] as const) {
      const verdict = judge('ask', { permission, approvals: [asked(decision)] });
      expect(verdict).toMatchObject({
        type: 'answer',
        status: 'denied',
        output: expect.stringContaining('2 people with the role release'),
      });
    }
    const lostByOne = [asked('approve', { awaits }), unknown('approve', ATTEMPT)];
    expect(wordOf(judge('ask', { permission, approvals: lostByOne, isLost: true }))).toBe(
      'unknown',
    );
  });
});
