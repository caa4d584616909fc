import { type Todo, todoStatuses } from '../../storage/shapes/stored-step.js';
import { isPlainObject } from '../../platform/json.js';
import { ToolFailure, type ToolDefinition } from '../tool.js';

/**
 * The session's todo list. Its effect is `read`: it changes nothing of the project, and needs no
 * approval.
 */
export const todoWriteTool: ToolDefinition = {
  name: 'todo_write',
  description:
    'Write the todo list of this session, whole: what is not in it is gone. Use it for work of several steps, keep one item in_progress, and mark items completed as soon as they are.',
  inputSchema: {
    type: 'object',
    properties: {
      todos: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            id: { type: 'string', minLength: 1, maxLength: 64 },
            content: { type: 'string', minLength: 1, maxLength: 500 },
            status: { type: 'string', enum: [...todoStatuses] },
          },
          required: ['id', 'content', 'status'],
        },
      },
    },
    required: ['todos'],
  },
  effect: 'read',
  retry: 'safe',
  open: ({ todos }) => ({
    run: async (input) => {
      if (todos === undefined) throw new ToolFailure('todo_write: this turn has no todo list');
      const parsed = parseTodos(input['todos']);
      if ('problem' in parsed) throw new ToolFailure(`todo_write: ${parsed.problem}`);
      await todos.replace(parsed.todos);
      const open = parsed.todos.filter(({ status }) => status !== 'completed').length;
      return `The list has ${parsed.todos.length} todos, ${open} of them open.`;
    },
  }),
};

const MAX_TODOS = 100;
const MAX_ID_CHARS = 64;
const MAX_CONTENT_CHARS = 500;

/** Parses a whole todo list of a model. @returns the todos, or the problem as a text for the model. */
export function parseTodos(input: unknown): { todos: Todo[] } | { problem: string } {
  if (!Array.isArray(input)) return { problem: 'todos must be a list' };
  if (input.length > MAX_TODOS) return { problem: `at most ${MAX_TODOS} todos fit in the list` };
  const todos: Todo[] = [];
  for (const [index, item] of (input as unknown[]).entries()) {
    const problem = findProblem(item, todos);
    if (problem !== undefined) return { problem: `todos[${index}]: ${problem}` };
    const { id, content, status } = item as Todo;
    todos.push({ id, content: content.trim().replaceAll(/\s+/g, ' '), status });
  }
  if (todos.filter(({ status }) => status === 'in_progress').length > 1) {
    return { problem: 'only one todo may be in_progress at a time' };
  }
  return { todos };
}

function findProblem(item: unknown, before: readonly Todo[]): string | undefined {
  if (!isPlainObject(item)) return 'must be an object with id, content and status';
  const { id, content, status } = item;
  if (!isText(id, MAX_ID_CHARS)) return `id must be text of 1 to ${MAX_ID_CHARS} characters`;
  if (before.some((other) => other.id === id)) return `id ${JSON.stringify(id)} is there twice`;
  if (!isText(content, MAX_CONTENT_CHARS)) {
    return `content must be text of 1 to ${MAX_CONTENT_CHARS} characters`;
  }
  return todoStatuses.some((known) => known === status)
    ? undefined
    : `status must be one of ${todoStatuses.join(', ')}`;
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= most;
}
