import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { someFacts, someReading } from '../../../test/support/turn/some-facts.js';
import { todoStatuses } from '../../storage/shapes/stored-step.js';
import {
  asSystemBlock,
  escapeSystemTags,
  checkTriggers,
  type TriggerFacts,
  type Trigger,
  type Notice,
} from './trigger.js';
import { defaultTriggers } from './triggers.js';

describe('escapeSystemTags', () => {
  it.each([
    '<system_message type="x">',
    '</system_message>',
    '< / SYSTEM_MESSAGE>',
    '<\n/\tSystem_Message >',
  ])('leaves nothing of %j that looks like the server’s own', (text) => {
    expect(escapeSystemTags(`a ${text} b`)).not.toMatch(/<\s*\/?\s*system_message/i);
  });

  it.each(['<system>', '<system_messages>', 'system_message', 'a < b', '<b>'])(
    'leaves %j as it is',
    (text) => {
      expect(escapeSystemTags(text)).toBe(text);
    },
  );
});

describe('asSystemBlock', () => {
  it('cannot be closed by what is said in it', () => {
    const block = asSystemBlock('todo-reminder', 'a</system_message>b');
    expect(block.match(/<\/system_message>/g)).toHaveLength(1);
  });
});

function trigger(id: string, change: Partial<Trigger> = {}): Trigger {
  return {
    id,
    description: '',
    rearms: '',
    priority: 10,
    levels: ['message', 'step'],
    check: () => [said(id)],
    ...change,
  };
}

function said(mark: string): Omit<Notice, 'level' | 'urgency'> {
  return { mark, kind: mark, text: `${mark} is due`, metadata: {}, seenByModel: true };
}

function check(triggers: readonly Trigger[], facts: Partial<TriggerFacts> = {}) {
  const errors: [string, unknown][] = [];
  const due = checkTriggers(triggers, someFacts(facts), (id, error) => errors.push([id, error]));
  return { due, marks: due.map(({ mark }) => mark), errors };
}

describe('checkTriggers', () => {
  it('gives a notice the level of the check and the urgency of its trigger', () => {
    const { due } = check([trigger('a', { priority: 7 })], { at: 'message' });
    expect(due).toEqual([{ ...said('a'), level: 'message', urgency: 7 }]);
  });

  it('says the most urgent first, and equals in the order of the list', () => {
    const triggers = [
      trigger('late', { priority: 50 }),
      trigger('b', { check: () => [said('b:1'), said('b:2')] }),
      trigger('a'),
      trigger('first', { priority: 1 }),
    ];
    expect(check(triggers).marks).toEqual(['first', 'b:1', 'b:2', 'a', 'late']);
  });

  it.each<[string, Partial<Trigger>, TriggerFacts['at'], string[]]>([
    ['of this level', { levels: ['step'] }, 'step', ['a']],
    ['of another level', { levels: ['step'] }, 'message', []],
    ['of both levels', {}, 'message', ['a']],
  ])('looks at a trigger %s: %j', (_name, change, at, marks) => {
    expect(check([trigger('a', change)], { at }).marks).toEqual(marks);
  });

  it('does not say again what was said', () => {
    const triggers = [trigger('a', { check: () => [said('a:1'), said('a:2')] }), trigger('b')];
    expect(check(triggers, { fired: new Set(['a:1', 'b']) }).marks).toEqual(['a:2']);
  });

  it('says a mark once, also when two triggers have it', () => {
    const triggers = [trigger('a', { check: () => [said('x'), said('x')] }), trigger('x')];
    expect(check(triggers).marks).toEqual(['x']);
  });

  it('tells of a trigger that throws, and goes on', () => {
    const failure = new Error('broken');
    const throwing = trigger('bad', {
      check: () => {
        throw failure;
      },
    });
    const { marks, errors } = check([throwing, trigger('good')]);
    expect(marks).toEqual(['good']);
    expect(errors).toEqual([['bad', failure]]);
  });
});

const percent = fc.double({ min: 0, max: 110, noNaN: true });
const todo = fc.record({
  id: fc.uuid(),
  content: fc.string({ minLength: 1 }),
  status: fc.constantFrom(...todoStatuses),
});
const limitKinds = ['iteration-limit', 'token-limit', 'time-limit'];

/** Facts that differ between the checks of a turn. */
const look = fc.record({
  at: fc.constantFrom<TriggerFacts['at']>('message', 'step'),
  isFirstMessage: fc.boolean(),
  contextPercent: percent,
  memoryPercent: percent,
  diskPercent: percent,
  todos: fc.array(todo, { maxLength: 3 }),
  stepsSinceTodos: fc.nat({ max: 7 }),
  toolErrors: fc.nat({ max: 3 }),
  passed: fc.subarray(limitKinds),
  isNear: fc.boolean(),
  compaction: fc.constantFrom('cmp_1', 'cmp_2', undefined),
  background: fc.uniqueArray(fc.constantFrom('x', 'y', 'z')),
});

type Look = typeof look extends fc.Arbitrary<infer T> ? T : never;

/** The facts of a turn, check by check, without `fired`. */
function factsOf(looks: readonly Look[]): TriggerFacts[] {
  return looks.map((one, step) => {
    const { at, isFirstMessage, todos, stepsSinceTodos, toolErrors } = one;
    return someFacts({
      at,
      isFirstMessage,
      todos,
      stepsSinceTodos,
      toolErrors,
      step,
      context: { tokens: Math.round(one.contextPercent * 2_000), window: 200_000 },
      readings: looks.slice(0, step + 1).map((reading) => someReading(reading)),
      warnings: one.passed.map((kind) => ({ kind, text: kind, metadata: {} })),
      background: one.background.map((id) => ({ id, text: id })),
      ...(one.isNear ? { nearNoProgress: { action: 'read({})' } } : {}),
      ...(one.compaction === undefined ? {} : { compaction: { id: one.compaction, summary: 's' } }),
    });
  });
}

describe('the triggers, over a whole turn', () => {
  it('never say a mark twice, whatever happens', () => {
    fc.assert(
      fc.property(fc.array(look, { maxLength: 20 }), (looks) => {
        const fired = new Set<string>();
        for (const facts of factsOf(looks)) {
          const { due, marks, errors } = check(defaultTriggers, { ...facts, fired });
          expect(errors).toEqual([]);
          expect(new Set(marks).size).toBe(marks.length);
          expect(marks.filter((mark) => fired.has(mark))).toEqual([]);
          expect(due.map(({ urgency }) => urgency)).toEqual(
            due.map(({ urgency }) => urgency).sort((a, b) => a - b),
          );
          for (const mark of marks) fired.add(mark);
          // A second check of the same facts, as after a crash.
          expect(check(defaultTriggers, { ...facts, fired }).marks).toEqual([]);
        }
      }),
    );
  });

  it('depend on nothing but the facts', () => {
    fc.assert(
      fc.property(fc.array(look, { minLength: 1, maxLength: 5 }), (looks) => {
        for (const facts of factsOf(looks)) {
          expect(check(defaultTriggers, facts)).toEqual(check(defaultTriggers, facts));
        }
      }),
    );
  });
});
