import type { Todo } from '../../storage/shapes/todo.js';
import { replaceTodos } from '../../notices/todo-store.js';
import { todoWriteTool } from '../../tools/builtin/todo-write.js';
import type { TodoBoard } from '../../tools/tool.js';
import type { StoredTurn } from '../state/load-turn.js';
import { findArrived } from './find-arrived.js';
import { readProjectFacts } from './read-project-facts.js';
import type { Compaction } from '../queue/turn-claims.js';
import { contextBefore } from '../state/turn-context.js';
import type { Attempt } from '../state/turn-run.js';
import type { TurnServices } from '../state/turn-services.js';
import type { TurnWatch } from './turn-watch.js';

export interface WatchSource {
  earlier: readonly StoredTurn[];
  todos: readonly Todo[] | null;
  compaction: Compaction | undefined;
  sessionChange: string | undefined;
}

/** What triggers look at, as the attempt begins. */
export async function openWatch(
  { resources, models }: TurnServices,
  attempt: Attempt,
  { earlier, todos, compaction, sessionChange }: WatchSource,
): Promise<TurnWatch> {
  const { turn, session, progress } = attempt;
  const isFirstMessage = earlier.length === 0;
  const before = compaction === undefined ? contextBefore(earlier) : 0;
  const window = models.describe(turn.options.options.model).contextWindow;
  return {
    isFirstMessage,
    projectFacts: isFirstMessage ? await readProjectFacts(session.projectRoot) : undefined,
    contextBefore: before,
    todos: todos ?? [],
    todosTouchedAt: lastTodoStep(progress),
    compaction,
    sessionChange,
    arrived: findArrived(attempt),
    readings: [{ contextPercent: (before * 100) / window, memoryPercent: 0, diskPercent: 0 }],
    readResources: () => resources.measure(session.projectRoot),
  };
}

/** The step whose call wrote the list last; 0 where none of this turn did. */
function lastTodoStep({ steps, results }: Attempt['progress']): number {
  const wrote = steps.findLast(({ parts }) =>
    parts.some(
      (part) =>
        part.type === 'tool_use' &&
        part.name === todoWriteTool.name &&
        results.get(part.id)?.status === 'success',
    ),
  );
  return wrote?.step ?? 0;
}

/** The session's list as its turn's tools write it; the client hears of every change. */
export function todoBoard({ turn, clock, writer, progress }: Attempt, watch: TurnWatch): TodoBoard {
  return {
    replace: async (items) => {
      await writer.commit(
        [
          {
            type: 'notice.posted',
            kind: 'todos',
            level: 'step',
            text: `${items.length} todos`,
            metadata: { todos: items },
            seenByModel: false,
          },
        ],
        [replaceTodos(turn.sessionId, items, new Date(clock.now()))],
      );
      watch.todos = items;
      watch.todosTouchedAt = progress.steps.length;
    },
  };
}
