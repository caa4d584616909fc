import type { WrittenFiles } from '../../../storage/shapes/stored-turn.js';
import type { Todo } from '../../../storage/shapes/stored-step.js';
import type { TriggerFacts, Trigger } from '../trigger.js';

export const sessionStart: Trigger = {
  id: 'session-start',
  description: "The first message of a session: the project's notes for agents, open todos.",
  rearms: 'never',
  priority: 41,
  levels: ['message'],
  check: ({ isFirstMessage, todos, projectFacts }: TriggerFacts) => {
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
  description:
    'The permission mode, the tools, the skills or what MCP servers say differ from what the prompt or the last notice of it says: what was sent stays, and this notice says what is so from here on.',
  rearms: 'with every change',
  priority: 39,
  levels: ['message'],
  check: ({ sessionChange: text, sessionState }: TriggerFacts) => {
    const metadata = { ...sessionState };
    const kind = 'session-change';
    return text === undefined ? [] : [{ mark: kind, kind, text, metadata, seenByModel: true }];
  },
};

export const filesKept: Trigger = {
  id: 'files-kept',
  description:
    'The first message of a fork, or one that replaces a turn, after turns that wrote files which are not in the conversation: the files are as those turns left them.',
  rearms: 'never',
  priority: 38,
  levels: ['message'],
  check: ({ written }: TriggerFacts) => {
    if (written === undefined) return [];
    const text = describeWritten(written);
    const metadata = { ...written };
    return [{ mark: 'files-kept', kind: 'files-kept', text, metadata, seenByModel: true }];
  },
};

function describeWritten({ paths, more, ranCommands, mcpTools = [] }: WrittenFiles): string {
  const listed = paths.map((path) => `- ${path}`).join('\n');
  const rest = more === 0 ? '' : `\n- and ${more} more`;
  const wrote =
    paths.length === 0 ? '' : ` These files were written there:\n\n${listed}${rest}\n\n`;
  const after = [
    ...(ranCommands ? ['Commands ran there too, and may have changed other files.'] : []),
    ...(mcpTools.length === 0
      ? []
      : [
          `These tools ran there, and may have changed files and what they reach: ${mcpTools.join(', ')}.`,
        ]),
    'Read a file again before you rely on what it was.',
  ].join(' ');
  return `The conversation goes on from an earlier point, and what came after that point is not in it. Files were not reverted.${wrote || ' '}${after}`;
}

export const compactSummary: Trigger = {
  id: 'compact-summary',
  description:
    'The first message after a compaction: the summary that stands for what came before.',
  rearms: 'with every compaction',
  priority: 40,
  levels: ['message'],
  check: ({ compaction }: TriggerFacts) =>
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
  description:
    'A tool that the client runs, or a subagent, has ended while the turn waited for answers.',
  rearms: 'with every item',
  priority: 42,
  levels: ['message', 'step'],
  check: ({ background }: TriggerFacts) =>
    background.map(({ id, text }) => ({
      mark: `background-result:${id}`,
      kind: 'background-result',
      text,
      metadata: { id },
      seenByModel: true,
    })),
};

function openTodos(todos: readonly Todo[]): Todo[] {
  return todos.filter(({ status }) => status !== 'completed');
}

function listTodos(todos: readonly Todo[]): string {
  return todos.map(({ status, content }) => `- [${status}] ${content}`).join('\n');
}

/** Model calls without a change of the list after which a reminder is due. */
const QUIET_STEPS = 5;

export const todoReminder: Trigger = {
  id: 'todo-reminder',
  description: `There are open todos, and none was touched for ${QUIET_STEPS} steps or since the turn before.`,
  rearms: 'when the list is written',
  priority: 50,
  levels: ['message', 'step'],
  check: ({ at, isFirstMessage, todos, step, stepsSinceTodos }: TriggerFacts) => {
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
