import type { Facts, Trigger } from '../trigger.js';
import { listTodos, openTodos } from './conversation.js';

/** Model calls without a change of the list after which a reminder is due. */
const QUIET_STEPS = 5;

export const todoReminder: Trigger = {
  id: 'todo-reminder',
  name: 'Open todos',
  description: `There are open todos, and none was touched for ${QUIET_STEPS} steps or since the turn before.`,
  rearms: 'when the list is written',
  priority: 50,
  enabled: true,
  levels: ['message', 'step'],
  check: ({ at, isFirstMessage, todos, step, stepsSinceTodos }: Facts) => {
    const open = openTodos(todos);
    // On a session's first message, `session-start` has the open todos.
    const isDue = at === 'message' ? !isFirstMessage : stepsSinceTodos >= QUIET_STEPS;
    if (open.length === 0 || !isDue) return [];
    return [
      {
        // The mark stays the same until the list is written.
        mark: `todo-reminder:${at}:${step - stepsSinceTodos}`,
        kind: 'todo-reminder',
        text: `Open todos:\n${listTodos(open)}\nUpdate the list when one is done or no longer needed.`,
        metadata: { todos: open.length },
        seenByModel: true,
      },
    ];
  },
};
