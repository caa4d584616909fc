import { describe, expect, it } from '@jest/globals';
import { someFacts } from '../../../../test/support/turn/some-facts.js';
import type { Todo } from '../../../storage/shapes/stored-step.js';
import type { TriggerFacts } from '../trigger.js';
import { todoReminder } from './conversation.js';

const done: Todo = { id: 'a', content: 'Read it', status: 'completed' };
const open: Todo = { id: 'b', content: 'Write it', status: 'pending' };

function marks(facts: Partial<TriggerFacts>): string[] {
  return todoReminder.check(someFacts({ todos: [done, open], ...facts })).map(({ mark }) => mark);
}

describe('todo-reminder', () => {
  it.each<[string, Partial<TriggerFacts>, number]>([
    ['four steps after the list was written', { step: 4, stepsSinceTodos: 4 }, 0],
    ['five steps after', { step: 5, stepsSinceTodos: 5 }, 1],
    ['six steps after', { step: 6, stepsSinceTodos: 6 }, 1],
    ['nothing open', { step: 9, stepsSinceTodos: 9, todos: [done] }, 0],
    ['no todos', { step: 9, stepsSinceTodos: 9, todos: [] }, 0],
    ['a later message', { at: 'message', step: 0 }, 1],
    ['a later message, nothing open', { at: 'message', step: 0, todos: [done] }, 0],
    ['the first message, which has its own word', { at: 'message', isFirstMessage: true }, 0],
  ])('%s', (_name, facts, times) => {
    expect(marks(facts)).toHaveLength(times);
  });

  it('has one mark until the list is written, and another then', () => {
    const [first] = marks({ step: 5, stepsSinceTodos: 5 });
    expect(marks({ step: 8, stepsSinceTodos: 8 })).toEqual([first]);
    expect(marks({ step: 13, stepsSinceTodos: 5 })).not.toEqual([first]);
  });

  it('names the open todos only', () => {
    const facts = someFacts({ todos: [done, open], step: 5, stepsSinceTodos: 5 });
    const [notice] = todoReminder.check(facts);
    expect(notice?.text).toContain('- [pending] Write it');
    expect(notice?.text).not.toContain('Read it');
    expect(notice?.metadata).toEqual({ todos: 1 });
  });
});
