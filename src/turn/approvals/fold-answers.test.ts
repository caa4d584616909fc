import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { digestCall, foldAnswers, type ApproverAnswer, type AwaitedCall } from './fold-answers.js';

const digest = digestCall({ name: 'deploy', input: { to: 'production' } });

const people = ['ann', 'ben', 'cleo', 'dan'];
const roles = ['release', 'security'];

const quorums = fc.array(
  fc.record({
    by: fc.uniqueArray(fc.constantFrom(...roles), { minLength: 1 }),
    count: fc.integer({ min: 1, max: 3 }),
    notRequester: fc.boolean(),
  }),
  { minLength: 1, maxLength: 3 },
);
const calls: fc.Arbitrary<AwaitedCall> = fc.record({
  awaits: quorums,
  requester: fc.constantFrom(...people),
  digest: fc.constant(digest),
});
const answers: fc.Arbitrary<ApproverAnswer[]> = fc.array(
  fc.record({
    principalId: fc.constantFrom(...people),
    decision: fc.constantFrom<'approve' | 'deny'>('approve', 'approve', 'approve', 'deny'),
    roles: fc.uniqueArray(fc.constantFrom(...roles)),
    digest: fc.constantFrom(digest, digest, digest, 'of another call'),
  }),
  { maxLength: 8 },
);

const yes = (principalId: string, more: Partial<ApproverAnswer> = {}): ApproverAnswer => ({
  principalId,
  decision: 'approve',
  roles: ['release'],
  digest,
  ...more,
});
const two: AwaitedCall = {
  awaits: [{ by: ['release'], count: 2, notRequester: true }],
  requester: 'ann',
  digest,
};

describe('foldAnswers', () => {
  it.each<[string, ApproverAnswer[], 'approve' | 'deny' | null, number]>([
    ['none', [], null, 0],
    ['one of two', [yes('ben')], null, 1],
    ['two of two', [yes('ben'), yes('cleo')], 'approve', 2],
    ['the same person twice', [yes('ben'), yes('ben')], null, 1],
    ['the requester', [yes('ben'), yes('ann')], null, 1],
    ['somebody without the role', [yes('ben'), yes('cleo', { roles: ['security'] })], null, 1],
    ['an answer to another call', [yes('ben'), yes('cleo', { digest: 'x' })], null, 1],
    ['a denial', [yes('ben'), yes('cleo', { decision: 'deny' })], 'deny', 1],
    ['a change of mind', [yes('ben'), yes('ben', { decision: 'deny' })], 'deny', 1],
    ['a denial of the requester', [yes('ann', { decision: 'deny' })], null, 0],
  ])('counts %s', (_what, given, decision, approved) => {
    expect(foldAnswers(two, given)).toEqual({ decision, approved: [approved] });
  });

  it('is the same in whatever order the answers came', () => {
    fc.assert(
      fc.property(
        calls,
        answers.chain((all) =>
          fc.tuple(
            fc.constant(all),
            fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }),
          ),
        ),
        (call, [all, shuffled]) => {
          expect(foldAnswers(call, shuffled)).toEqual(foldAnswers(call, all));
        },
      ),
    );
  });

  it('approves by enough people of each quorum, and never against a denial', () => {
    fc.assert(
      fc.property(calls, answers, (call, all) => {
        const good = all.filter((one) => one.digest === digest);
        const inQuorum = (place: number) => {
          const quorum = call.awaits[place];
          return good.filter(
            (one) =>
              quorum?.by.some((role) => one.roles.includes(role)) === true &&
              (!quorum.notRequester || one.principalId !== call.requester),
          );
        };
        const { decision } = foldAnswers(call, all);
        const byQuorum = call.awaits.map((quorum, place) => ({ quorum, counted: inQuorum(place) }));
        const isDenied = byQuorum.some(({ counted }) =>
          counted.some((one) => one.decision === 'deny'),
        );
        expect(decision === 'deny').toBe(isDenied);
        if (decision !== 'approve') return;
        for (const { quorum, counted } of byQuorum) {
          expect(new Set(counted.map((one) => one.principalId)).size).toBeGreaterThanOrEqual(
            quorum.count,
          );
        }
      }),
    );
  });

  it('is not changed by a further answer, unless that denies, once it approves', () => {
    fc.assert(
      fc.property(calls, answers, answers, (call, first, more) => {
        fc.pre(foldAnswers(call, first).decision === 'approve');
        const approving = more.filter((one) => one.decision === 'approve');
        expect(foldAnswers(call, [...first, ...approving]).decision).toBe('approve');
      }),
    );
  });
});

describe('digestCall', () => {
  it('is of name and input, in whatever order its fields are', () => {
    expect(digestCall({ name: 'a', input: { x: 1, y: 2 } })).toBe(
      digestCall({ name: 'a', input: { y: 2, x: 1 } }),
    );
    expect(digestCall({ name: 'a', input: { x: 1 } })).not.toBe(
      digestCall({ name: 'b', input: { x: 1 } }),
    );
    expect(digestCall({ name: 'a', input: { x: 1 } })).not.toBe(
      digestCall({ name: 'a', input: { x: 2 } }),
    );
  });
});
