import type { Facts } from '../../notices/trigger.js';
import type { RequestPrefix } from '../../storage/shapes/sent-request.js';
import { todoWriteTool } from '../../tools/builtin/todo-write.js';
import { findUnseenWrites } from '../branches/written-files.js';
import type { Attempt, Compaction, Progress } from '../state/attempt.js';
import type { TriggerContext } from '../state/attempt-context.js';
import type { StoredTurn } from '../state/stored-turn.js';
import type { Todo } from '../../storage/shapes/stored-step.js';
import { contextBefore } from '../state/turn-state.js';

export interface TriggerSource {
  /** The session's other turns, oldest first. */
  earlier: readonly StoredTurn[];
  todos: readonly Todo[] | null;
  compaction: Compaction | undefined;
  sessionChange: string | undefined;
  sessionState: RequestPrefix['told'];
}

/** Opens the triggers of an attempt, and what they look at. */
export async function openTriggers(
  attempt: Attempt,
  { earlier, todos, compaction, sessionChange, sessionState }: TriggerSource,
): Promise<TriggerContext> {
  const { services, turn, session, progress } = attempt;
  const isFirstMessage = earlier.length === 0;
  const before = compaction === undefined ? contextBefore(earlier) : 0;
  const window = services.models.describe(turn.options.options.model).contextWindow;
  return {
    all: services.triggers,
    isFirstMessage,
    projectFacts: isFirstMessage
      ? await services.projectFacts.find(session.projectRoot)
      : undefined,
    contextBefore: before,
    todos: todos ?? [],
    todosTouchedAt: lastTodoStep(progress),
    compaction,
    sessionChange,
    sessionState,
    written: await findUnseenWrites(attempt, earlier),
    arrived: findArrived(attempt),
    readings: [{ contextPercent: (before * 100) / window, memoryPercent: 0, diskPercent: 0 }],
  };
}

/** The step that wrote the todo list last; 0: no step of this turn. */
function lastTodoStep({ steps, results }: Progress): number {
  const last = steps.findLast(({ parts }) =>
    parts.some(
      (part) =>
        part.type === 'tool_use' &&
        part.name === todoWriteTool.name &&
        results.get(part.id)?.status === 'success',
    ),
  );
  return last?.step ?? 0;
}

type Parked = Pick<Attempt, 'approvals' | 'children'> & {
  turn: Pick<Attempt['turn'], 'attempt' | 'parkedAttempt'>;
};

/**
 * Results that came while the turn was parked: of tools that its client runs, and of subagents that an
 * earlier attempt had started. Pure.
 */
export function findArrived({ turn, approvals, children }: Parked): Facts['background'] {
  const answered = approvals
    .filter(({ kind, decision }) => kind === 'client-tool' && decision === 'answer')
    .map(({ id, name, isError }) => ({
      id,
      text: `${name} has ${isError === true ? 'failed' : 'ended'}: its client answered while the turn waited.`,
    }));
  if (turn.parkedAttempt !== turn.attempt - 1) return answered;
  const ended = children
    .filter(({ usage, isOver }) => usage !== undefined && !isOver)
    .map(({ id, agent }) => ({
      id,
      text: `The subagent ${agent} has ended while the turn waited.`,
    }));
  return [...answered, ...ended];
}
