import { describe, expect, it } from '@jest/globals';
import type { AnswerInput } from '../../turn/approvals/approval-writes.js';
import { latestAnswers, matchAnswers, type WireAnswers } from './questions.js';

const none = { message: undefined, input: undefined, rule: undefined };
const approve: AnswerInput = { ...none, decision: 'approve' };
const deny: AnswerInput = { ...none, decision: 'deny' };
const red: AnswerInput = { ...none, decision: 'answer', output: 'red' };
const blue: AnswerInput = { ...none, decision: 'answer', output: 'blue' };

type Decided = 'approve' | 'deny' | 'answer' | null;

const question = (id: string, turnId: string, decision: Decided = null) => ({
  approval: { id, callId: `call-${id}`, kind: 'tool' as const, decision, decidedAt: null },
  turn: { id: turnId },
});

const match = (questions: ReturnType<typeof question>[], given: Partial<WireAnswers>) =>
  matchAnswers(questions, { decisions: [], outputs: [], ...given });

describe('matchAnswers', () => {
  it('finds questions by their ids and by their calls', () => {
    const matched = match([question('a', 't'), question('b', 't')], {
      decisions: [{ approvalId: 'a', given: approve }],
      outputs: [{ callId: 'call-b', given: red }],
    });
    expect(matched?.turn.id).toBe('t');
    expect(matched?.asked.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(matched?.answers.map(({ given }) => given)).toEqual([approve, red]);
  });

  it('knows outputs that nobody asked for as those of the server, and no such decisions', () => {
    const outputs = [{ callId: 'other', given: red }];
    expect(match([], { outputs })).toBeUndefined();
    const decisions = [{ approvalId: 'x', given: approve }];
    expect(() => match([question('a', 't')], { decisions })).toThrow('no approval x');
  });

  it('answers the last turn where calls of several have the same id', () => {
    const again = question('b', 'second');
    again.approval.callId = 'call-a';
    const questions = [question('a', 'first', 'answer'), again];
    const matched = match(questions, { outputs: [{ callId: 'call-a', given: red }] });
    expect(matched?.turn.id).toBe('second');
    expect(matched?.answers.map(({ approval }) => approval.id)).toEqual(['b']);
  });

  it('takes the last output of a call', () => {
    const outputs = [red, blue].map((given) => ({ callId: 'call-a', given }));
    expect(match([question('a', 't')], { outputs })?.answers).toMatchObject([{ given: blue }]);
  });

  it.each<[string, Decided, Partial<WireAnswers>, number]>([
    ['an output that is too late', 'deny', { outputs: [{ callId: 'call-a', given: red }] }, 0],
    ['an output again', 'answer', { outputs: [{ callId: 'call-a', given: red }] }, 1],
    [
      'a question that was put away',
      'approve',
      { decisions: [{ approvalId: 'a', given: deny, mayBeLate: true }] },
      0,
    ],
    ['another decision', 'approve', { decisions: [{ approvalId: 'a', given: deny }] }, 1],
  ])('of %s gives what may change nothing', (_name, decision, given, answers) => {
    const matched = match([question('a', 't', decision)], given);
    expect(matched?.asked).toHaveLength(1);
    expect(matched?.answers).toHaveLength(answers);
  });
});

const at = (id: string, ms: number | null) => ({
  id,
  decidedAt: ms === null ? null : new Date(ms),
});

describe('latestAnswers', () => {
  it.each([
    [[], []],
    [
      [at('a', null), at('b', null)],
      ['a', 'b'],
    ],
    [[at('a', 1), at('b', null)], ['b']],
    [
      [at('a', 1), at('b', 2), at('c', 2)],
      ['b', 'c'],
    ],
  ])('of %j is %j', (approvals, ids) => {
    expect(latestAnswers(approvals)).toEqual(ids);
  });
});
