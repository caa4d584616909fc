import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { actionSequences, type ActionSequence } from '../../../test/fixtures/action-sequences.js';
import { defaultAgentConfig } from '../decision-tree/agent-config.js';
import { newAgentState, type ActionRecord } from '../decision-tree/agent-state.js';
import { DefaultDecisionTree } from '../decision-tree/decision-trees.js';
import {
  findNearNoProgress,
  findNoProgress,
  describeAction,
  signAction,
  signOutcome,
} from './no-progress.js';

const tree = new DefaultDecisionTree(defaultAgentConfig);

/** The actions that the tree records for a sequence of iterations. */
function replay({ steps }: Pick<ActionSequence, 'steps'>): (readonly ActionRecord[])[] {
  const config = defaultAgentConfig;
  let state = newAgentState({ userId: 'u', projectId: 'p', startTime: 0, config });
  return steps.map((calls) => {
    state = tree.onTurnStart(state);
    for (const call of calls) state = tree.onToolResult(state, call);
    return state.actions;
  });
}

function endsEarly(sequence: ActionSequence): boolean {
  return replay(sequence).some((actions) => findNoProgress(actions) !== undefined);
}

/**
 * Iterations as a word: a letter is a call, `&` puts a call beside the previous one, `!` makes it
 * fail.
 */
function spelled(word: string): (readonly ActionRecord[])[] {
  const steps = [...word.matchAll(/[a-z]!?(&[a-z]!?)*/g)].map(([step]) =>
    step.split('&').map((call) => ({
      name: 'do',
      input: { it: call[0] },
      output: `result of ${call}`,
      isError: call.endsWith('!'),
    })),
  );
  return replay({ steps });
}

describe('findNoProgress over recorded sequences', () => {
  const stuck = actionSequences('stuck');
  const progressing = actionSequences('progressing');

  it('has sequences enough, each with its own name', () => {
    const names = [...stuck, ...progressing].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(stuck.length).toBeGreaterThanOrEqual(30);
    expect(progressing.length).toBeGreaterThanOrEqual(30);
  });

  it('finds at least 95 % of the stuck, and misses those that are known', () => {
    const missed = stuck.filter((sequence) => !endsEarly(sequence)).map(({ name }) => name);
    expect(1 - missed.length / stuck.length).toBeGreaterThanOrEqual(0.95);
    expect(missed).toEqual([
      'the same test run, whose output has its duration',
      'one search in many words',
    ]);
  });

  it('stops less than 5 % of those that make progress, and those that are known', () => {
    const stopped = progressing.filter(endsEarly).map(({ name }) => name);
    expect(stopped.length / progressing.length).toBeLessThan(0.05);
    expect(stopped).toEqual([
      'the compiler prints the same until the third fix',
      'waits for a build whose status does not move for a while',
    ]);
  });

  it('comes near before it ends, so that the model is warned first', () => {
    for (const sequence of stuck.filter(endsEarly)) {
      const seen = replay(sequence);
      const end = seen.findIndex((actions) => findNoProgress(actions) !== undefined);
      const warned = seen
        .slice(0, end)
        .some((actions) => findNearNoProgress(actions) !== undefined);
      expect([sequence.name, warned]).toEqual([sequence.name, true]);
    }
  });
});

describe('findNoProgress', () => {
  it.each([
    ['', undefined, undefined],
    ['a', undefined, undefined],
    ['aa', undefined, 'repeat'],
    ['aaa', 'repeat', undefined],
    ['aba', undefined, undefined],
    ['abab', undefined, 'cycle'],
    ['ababa', 'cycle', undefined],
    ['ababab', 'cycle', undefined],
    ['abcabc', undefined, 'cycle'],
    ['abcabca', 'cycle', undefined],
    ['abcdabcda', undefined, undefined],
    ['aaab', undefined, undefined],
    ['a!', undefined, undefined],
    ['a!ba!', undefined, 'error'],
    ['a!ba!ca!', 'error', undefined],
    ['a!ba!cda', undefined, undefined],
    ['a!ba!ca!d', undefined, undefined],
    ['a!abca!', undefined, 'error'],
    ['a&b', undefined, undefined],
    ['a&a&a', undefined, undefined],
    ['a&bb&a', undefined, 'repeat'],
    ['a&bb&aa&b', 'repeat', undefined],
    ['a&ba&bab', undefined, undefined],
    ['a&bcb&aca&b', 'cycle', undefined],
    ['a!&bc&a!d&a!', 'error', undefined],
  ])('%j: %s, near %s', (word, kind, near) => {
    const actions = spelled(word).at(-1) ?? [];
    expect(findNoProgress(actions)?.kind).toBe(kind);
    expect(findNearNoProgress(actions)?.kind).toBe(near);
  });

  it.each([
    ['aaa', 3, ['do({"it":"a"})']],
    ['a&bb&aa&b', 3, ['do({"it":"a"})', 'do({"it":"b"})']],
    ['ababa', 2, ['do({"it":"b"})', 'do({"it":"a"})']],
    ['a!b&c!a!d&e!f&a!', 3, ['do({"it":"a"})']],
  ])('names what %j repeats', (word, times, actions) => {
    expect(findNoProgress(spelled(word).at(-1) ?? [])).toMatchObject({ times, actions });
  });

  it('forgets an error that lies more than 12 iterations back', () => {
    expect(findNoProgress(spelled('a!ba!cdefghijka!').at(-1) ?? [])?.kind).toBe(undefined);
    expect(findNoProgress(spelled('a!ba!cdefghia!').at(-1) ?? [])?.kind).toBe('error');
  });

  it('does not depend on the order in which results of one iteration come', () => {
    const call = fc.constantFrom('a', 'b', 'c!', 'd!');
    const step = fc.array(call, { minLength: 1, maxLength: 4 });
    const shuffled = step.chain((calls) =>
      fc.tuple(
        fc.constant(calls),
        fc.shuffledSubarray(calls, { minLength: calls.length, maxLength: calls.length }),
      ),
    );
    fc.assert(
      fc.property(fc.array(shuffled, { maxLength: 15 }), (steps) => {
        const [one, other] = [0, 1].map((which) =>
          findNoProgress(
            spelled(steps.map((orders) => orders[which]?.join('&')).join('')).at(-1) ?? [],
          ),
        );
        expect(one?.kind).toBe(other?.kind);
      }),
    );
  });

  it('never sees a circle where every result is new', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('x', 'y'), fc.boolean())), (calls) => {
        const steps = calls.map(([name, isError], index) => [
          { name, input: {}, output: `${index}`, isError },
        ]);
        for (const actions of replay({ steps })) {
          expect(findNoProgress(actions)).toBe(undefined);
          expect(findNearNoProgress(actions)).toBe(undefined);
        }
      }),
    );
  });
});

const long = { text: 'x'.repeat(1_000) };

describe('signAction', () => {
  it.each([
    ['search', { b: 1, a: { d: [1, 2], c: null } }, 'search({"a":{"c":null,"d":[1,2]},"b":1})'],
    ['list', {}, 'list({})'],
    ['list', undefined, 'list(null)'],
  ])('%s %j', (name, input, signature) => {
    expect(signAction(name, input)).toBe(signature);
    expect(describeAction(name, input)).toBe(signature);
  });

  it('distinguishes calls that differ in tool, argument or order of a list', () => {
    const calls: [string, unknown][] = [
      ['a', { x: 1 }],
      ['b', { x: 1 }],
      ['a', { x: '1' }],
      ['a', { x: [1, 2] }],
      ['a', { x: [2, 1] }],
      ['a', long],
      ['a', { text: `${long.text}y` }],
      ['b', long],
    ];
    const signatures = calls.map(([name, input]) => signAction(name, input));
    expect(new Set(signatures).size).toBe(calls.length);
  });

  it('is short also where the arguments are long', () => {
    expect(signAction('write', long)).toMatch(/^write#[0-9a-f]{16}$/);
  });

  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (input) => {
        const reversed = Object.fromEntries(Object.entries(input).reverse());
        expect(signAction('a', reversed)).toBe(signAction('a', input));
      }),
    );
  });
});

describe('signOutcome', () => {
  it('is equal for equal results only', () => {
    expect(signOutcome('no matches', false)).toBe(signOutcome('no matches', false));
    expect(signOutcome('no matches', false)).not.toBe(signOutcome('no match', false));
    expect(signOutcome('no matches', false)).not.toBe(signOutcome('no matches', true));
  });
});

describe('describeAction', () => {
  it('is cut to 200 characters, and never in the middle of one', () => {
    expect(describeAction('write', long)).toBe(`write({"text":"${'x'.repeat(184)}…`);
    const emoji = describeAction('w', { t: `${'x'.repeat(192)}😀😀` });
    expect(emoji).toBe(`w({"t":"${'x'.repeat(191)}…`);
    const split = describeAction('w', { t: `${'x'.repeat(190)}😀😀` });
    expect(split).toBe(`w({"t":"${'x'.repeat(190)}…`);
  });
});
