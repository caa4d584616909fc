import { todoStatuses } from '../../storage/shapes/stored-step.js';
import { parseTodos } from '../../governance/notices/todos.js';
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
