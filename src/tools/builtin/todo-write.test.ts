import { describe, expect, it } from '@jest/globals';
import type { Todo } from '../../storage/shapes/stored-step.js';
import type { JsonObject } from '../../platform/json.js';
import { openTools, ToolRegistry } from '../registry.js';
import type { TodoAccess } from '../tool.js';
import { todoWriteTool } from './todo-write.js';
import { outputText } from '../../platform/parsing/tool-output.js';

class MemoryBoard implements TodoAccess {
  todos: Todo[] = [];

  async replace(todos: Todo[]): Promise<void> {
    this.todos = todos;
  }
}

const read: Todo = { id: 'a', content: 'Read it', status: 'completed' };
const write: Todo = { id: 'b', content: 'Write it', status: 'in_progress' };

const { signal } = new AbortController();
const call = {
  callId: 'call_1',
  idempotencyKey: 'turn_1:call_1',
  signal,
  progress: () => undefined,
};

async function run(todos: Todo[], board?: TodoAccess): Promise<string> {
  const input = { todos: todos.map((todo) => ({ ...todo })) };
  const context = board === undefined ? {} : { todos: board };
  const open = todoWriteTool.open({ workdir: '/srv/project', ...context });
  return outputText(await open.run(input, call));
}

describe('todo_write', () => {
  it('puts the list in place of the one there was, and says how it stands', async () => {
    const board = new MemoryBoard();
    expect(await run([read, write], board)).toBe('The list has 2 todos, 1 of them open.');
    expect(board.todos).toEqual([read, write]);
    expect(await run([], board)).toBe('The list has 0 todos, 0 of them open.');
    expect(board.todos).toEqual([]);
  });

  it('leaves the list when the new one is not valid, and says why', async () => {
    const board = new MemoryBoard();
    await run([read], board);
    await expect(run([write, write], board)).rejects.toMatchObject({
      name: 'ToolFailure',
      message: 'todo_write: todos[1]: id "b" is there twice',
    });
    expect(board.todos).toEqual([read]);
  });

  it('fails where a turn has no list', async () => {
    await expect(run([])).rejects.toThrow('todo_write: this turn has no todo list');
  });

  it('needs no approval, and may run again after a crash', () => {
    expect(todoWriteTool).toMatchObject({ effect: 'read', retry: 'safe' });
  });

  it.each<[string, JsonObject, boolean]>([
    ['a list', { todos: [{ ...read }] }, true],
    ['an empty list', { todos: [] }, true],
    ['no list', {}, false],
    ['a status of another name', { todos: [{ ...read, status: 'done' }] }, false],
    ['a todo without content', { todos: [{ id: 'a', status: 'pending' }] }, false],
  ])('has a schema for %s', (_name, input, isValid) => {
    const tools = openTools(new ToolRegistry([todoWriteTool]).list(), () => ({
      workdir: '/srv/project',
    }));
    expect(tools.get('todo_write')?.checkInput(input).ok).toBe(isValid);
  });
});
