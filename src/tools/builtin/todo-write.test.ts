import { describe, expect, it } from '@jest/globals';
import { parseTodos } from './todo-write.js';

const todo = (more: object = {}) => ({ id: 'a', content: 'Do it', status: 'pending', ...more });

describe('parseTodos', () => {
  it('takes a whole list, and what it says of each item', () => {
    const list = [todo({ content: ' Do it ', more: 1 }), todo({ id: 'b', status: 'in_progress' })];
    expect(parseTodos(list)).toEqual({
      todos: [todo(), todo({ id: 'b', status: 'in_progress' })],
    });
    expect(parseTodos([])).toEqual({ todos: [] });
  });

  it.each<[unknown, string]>([
    [undefined, 'must be a list'],
    [{ todos: [] }, 'must be a list'],
    [Array.from({ length: 101 }, (_, id) => todo({ id: `${id}` })), 'at most 100'],
    [['x'], 'todos[0]: must be an object'],
    [[todo({ id: '' })], 'id must be text of 1 to 64'],
    [[todo({ id: 'x'.repeat(65) })], 'id must be text of 1 to 64'],
    [[todo(), todo()], 'todos[1]: id "a" is there twice'],
    [[todo({ content: ' ' })], 'content must be text of 1 to 500'],
    [[todo({ content: 'x'.repeat(501) })], 'content must be text of 1 to 500'],
    [[todo({ status: 'done' })], 'status must be one of pending, in_progress, completed'],
    [
      [todo({ status: 'in_progress' }), todo({ id: 'b', status: 'in_progress' })],
      'only one todo may be in_progress',
    ],
  ])('tells the model what is wrong with %j', (list, problem) => {
    expect(parseTodos(list)).toEqual({ problem: expect.stringContaining(problem) });
  });
});
