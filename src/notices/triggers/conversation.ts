import type { Todo } from '../../storage/shapes/todo.js';
import type { Facts, Trigger } from '../trigger.js';

export const sessionStart: Trigger = {
  id: 'session-start',
  name: 'Session start',
  description: "The first message of a session: the project's notes for agents, open todos.",
  rearms: 'never',
  priority: 41,
  enabled: true,
  levels: ['message'],
  check: ({ isFirstMessage, todos, projectFacts }: Facts) => {
    const open = openTodos(todos);
    const known = [
      ...(projectFacts === undefined ? [] : [projectFacts]),
      ...(open.length === 0 ? [] : [`This session begins with open todos:\n${listTodos(open)}`]),
    ];
    if (!isFirstMessage || known.length === 0) return [];
    return [
      {
        mark: 'session-start',
        kind: 'session-start',
        text: known.join('\n\n'),
        metadata: { todos: open.length },
        seenByModel: true,
      },
    ];
  },
};

export const sessionChange: Trigger = {
  id: 'session-change',
  name: 'Change of the session',
  description:
    'The permission mode or the tools differ from the turn before: the model gets the same prefix as before, and this notice names the change.',
  rearms: 'with every change',
  priority: 39,
  enabled: true,
  levels: ['message'],
  check: ({ sessionChange: text }: Facts) =>
    text === undefined
      ? []
      : [{ mark: 'session-change', kind: 'session-change', text, metadata: {}, seenByModel: true }],
};

export const compactSummary: Trigger = {
  id: 'compact-summary',
  name: 'Summary of the conversation',
  description:
    'The first message after a compaction: the summary that stands for what came before.',
  rearms: 'with every compaction',
  priority: 40,
  enabled: true,
  levels: ['message'],
  check: ({ compaction }: Facts) =>
    compaction === undefined
      ? []
      : [
          {
            mark: `compact-summary:${compaction.id}`,
            kind: 'compact-summary',
            text: `What came before in this conversation, in short:\n\n${compaction.summary}`,
            metadata: { compactionId: compaction.id },
            seenByModel: true,
          },
        ],
};

export const backgroundResult: Trigger = {
  id: 'background-result',
  name: 'Background result',
  description:
    'A tool that the client runs, or a subagent, has ended while the turn waited for answers.',
  rearms: 'with every item',
  priority: 42,
  enabled: true,
  levels: ['message', 'step'],
  check: ({ background }: Facts) =>
    background.map(({ id, text }) => ({
      mark: `background-result:${id}`,
      kind: 'background-result',
      text,
      metadata: { id },
      seenByModel: true,
    })),
};

export function openTodos(todos: readonly Todo[]): Todo[] {
  return todos.filter(({ status }) => status !== 'completed');
}

export function listTodos(todos: readonly Todo[]): string {
  return todos.map(({ status, content }) => `- [${status}] ${content}`).join('\n');
}
