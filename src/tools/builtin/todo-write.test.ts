import { testTurn } from '../../../test/support/tools/test-turn.js';
import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../platform/json.js';
import { outputText } from '../../platform/parsing/tool-output.js';
import type { Todo } from '../../storage/shapes/stored-step.js';
import { openTools, ToolRegistry } from '../registry.js';
import type { TodoAccess } from '../tool.js';
import { parseTodos, todoWriteTool } from './todo-write.js';

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

describe('todo_write', () => {
  const read: Todo = { id: 'a', content: 'Read it', status: 'completed' };
  const write: Todo = { id: 'b', content: 'Write it', status: 'in_progress' };

  class MemoryTodos implements TodoAccess {
    list: Todo[] = [];

    async replace(todos: Todo[]): Promise<void> {
      this.list = todos;
    }
  }

  async function run(todos: Todo[], access?: TodoAccess): Promise<string> {
    const { signal } = new AbortController();
    const call = { callId: 'c', idempotencyKey: 't:c', signal, progress: () => undefined };
    const context = access === undefined ? {} : { todos: access };
    const tool = todoWriteTool.open({ turn: testTurn, workdir: '/srv/project', ...context });
    return outputText(await tool.run({ todos: todos.map((one) => ({ ...one })) }, call));
  }

  it('puts the list in place of the one there was, and says how it stands', async () => {
    const todos = new MemoryTodos();
    expect(await run([read, write], todos)).toBe('The list has 2 todos, 1 of them open.');
    expect(todos.list).toEqual([read, write]);
    expect(await run([], todos)).toBe('The list has 0 todos, 0 of them open.');
    expect(todos.list).toEqual([]);
  });

  it('fails where a turn has no list', async () => {
    await expect(run([])).rejects.toThrow('todo_write: this turn has no todo list');
  });

  it.each<[string, JsonObject, boolean]>([
    ['a list', { todos: [{ ...read }] }, true],
    ['an empty list', { todos: [] }, true],
    ['no list', {}, false],
    ['a status of another name', { todos: [{ ...read, status: 'done' }] }, false],
    ['a todo without content', { todos: [{ id: 'a', status: 'pending' }] }, false],
  ])('has a schema for %s', (_name, input, isValid) => {
    const tools = openTools(new ToolRegistry([todoWriteTool]).list(), () => ({
      turn: testTurn,
      workdir: '/srv/project',
    }));
    expect(tools.get('todo_write')?.checkInput(input).ok).toBe(isValid);
  });
});
