import { createHash } from 'node:crypto';
import { canonicalJson, type JsonObject } from '../../platform/json.js';
import type { Quorum } from '../../storage/shapes/stored-options.js';

/** The parts of an answer that decide. */
export interface ApproverAnswer {
  principalId: string;
  decision: 'approve' | 'deny';
  /** Roles that the person had at the answer. */
  roles: readonly string[];
  /** Of the call that was shown. */
  digest: string;
}

/** The question for people, and the principal that asks. */
export interface AwaitedCall {
  awaits: readonly Quorum[];
  /** The principal whose turn asks. */
  requester: string;
  digest: string;
}

/** SHA-256 of a call's name and input, in hex. */
export function digestCall({ name, input }: { name: string; input: JsonObject }): string {
  return createHash('sha256')
    .update(canonicalJson([name, input]))
    .digest('hex');
}

/** Whether somebody counts for a quorum. Pure. */
export function countsFor(
  { by, notRequester }: Quorum,
  { principalId, roles }: Pick<ApproverAnswer, 'principalId' | 'roles'>,
  requester: string,
): boolean {
  return by.some((role) => roles.includes(role)) && !(notRequester && principalId === requester);
}

export interface FoldedAnswers {
  /** Null: others are awaited. */
  decision: 'approve' | 'deny' | null;
  /** How many people have approved, by the places of the quorums. */
  approved: readonly number[];
}

/**
 * What the answers come to, in whatever order they came: one denial denies, and the call is approved once each quorum
 * has its people, of whom each counts once. Pure.
 */
export function foldAnswers(
  { awaits, requester, digest }: AwaitedCall,
  answers: readonly ApproverAnswer[],
): FoldedAnswers {
  const good = answers.filter((one) => one.digest === digest);
  const people = awaits.map((quorum) => {
    const counted = good.filter((one) => countsFor(quorum, one, requester));
    const approving = counted.filter(({ decision }) => decision === 'approve');
    return {
      isDenied: counted.some(({ decision }) => decision === 'deny'),
      approved: new Set(approving.map(({ principalId }) => principalId)).size,
      count: quorum.count,
    };
  });
  const approved = people.map((one) => one.approved);
  if (people.some(({ isDenied }) => isDenied)) return { decision: 'deny', approved };
  const isMet = people.length > 0 && people.every((one) => one.approved >= one.count);
  return { decision: isMet ? 'approve' : null, approved };
}
