import { clientNotice } from '../../events/turn-event.js';
import { replaceTodos } from '../../notices/todos.js';
import { retry, type RetryDelays } from '../../platform/async/deadlines.js';
import { compact } from '../../platform/compact.js';
import type { OpenedRoot } from '../../session/project-roots.js';
import { isDatabaseDown } from '../../storage/database-errors.js';
import { openPathDenials } from '../../tools/calls/call-paths.js';
import type { Delegated, MemoryBoard, TodoBoard, ToolContext } from '../../tools/tool.js';
import type { Attempt } from '../state/attempt.js';
import type { DelegatingAttempt, TriggerContext } from '../state/attempt-context.js';
import { openShelf, type TurnSkills } from './turn-skills.js';

/** Delegates a piece of work to a subagent, and gives its answer. */
export type Delegate = (parent: DelegatingAttempt, work: Delegated) => Promise<string>;

/** What the tools of a turn are given to work with. */
export function openToolContext(
  parent: DelegatingAttempt,
  {
    root,
    skills,
    triggers,
    delegate,
  }: { root: OpenedRoot; skills: TurnSkills; triggers: TriggerContext; delegate: Delegate },
): ToolContext {
  const { services, rules, turn } = parent;
  const { projectRoot, ownPaths, others, quota, spellings } = root;
  return {
    workdir: projectRoot,
    ownPaths,
    isDenied: openPathDenials(rules.permissions, spellings),
    ...compact({ others, quota, mostResults: turn.options.options.contextNodes }),
    env: services.shellEnv,
    todos: openTodos(parent, triggers),
    ...(skills.told.length === 0 ? {} : { skills: openShelf(skills) }),
    ...compact({ memory: openMemory(parent) }),
    delegate: (work) => delegate(parent, work),
  };
}

/** The session's todo list for the turn's tools; every change is a notice. */
function openTodos(
  { turn, clock, writer, progress }: Attempt,
  triggers: TriggerContext,
): TodoBoard {
  return {
    replace: async (items) => {
      await writer.commit(
        [clientNotice('step', 'todos', `${items.length} todos`, { todos: items })],
        [replaceTodos({ sessionId: turn.sessionId, items, updatedAt: new Date(clock.now()) })],
      );
      triggers.todos = items;
      triggers.todosTouchedAt = progress.steps.length;
    },
  };
}

/** The delays between the tries of a call that the database did not answer. */
const retryDelays: RetryDelays = { firstMs: 250, maxMs: 250 };

/**
 * The memory of a turn's principal and agent; undefined: the turn has none. A database that is away for a while
 * costs time: a call may be tried again, as it takes effect once. The turn's end does not cut it short, or nobody
 * would know what it came to.
 */
function openMemory({ services, turn, clock, lease }: Attempt): MemoryBoard | undefined {
  const { config, memory } = services;
  const { options } = turn.options;
  if (options.memory !== true || !config.memory) return undefined;
  const { id: turnId, attempt, sessionId, principalId } = turn;
  return {
    run: (command, callId) => {
      const giveUpAt = clock.now() + config.leaseMs;
      const mayRetry = (error: unknown): boolean =>
        isDatabaseDown(error) && clock.now() < giveUpAt && lease.reason !== 'lost';
      const agent = options.persona;
      const call = { turnId, attempt, callId, sessionId, principalId, agent };
      return retry(clock, { ...retryDelays, mayRetry }, () => memory.run(call, command));
    },
  };
}
