import { asc, eq } from 'drizzle-orm';
import { compareCursors, logStart, type EventCursor } from '../../events/cursor.js';
import type { Usage } from '../../storage/shapes/stored-step.js';
import type { TurnEvent } from '../../events/turn-event.js';
import type { CostLimit } from '../../storage/shapes/stored-limits.js';
import type { Queryable } from '../../storage/connection.js';
import { turns } from '../../storage/schema.js';

/** A subagent's turn, as the attempt that started it or found it knows it. */
export interface ChildTurn {
  id: string;
  callId: string;
  agent: string;
  /** Tokens that are reserved of its parent's budget until it has ended. */
  tokenBudget: number;
  costLimit: CostLimit | undefined;
  /** What it used; undefined until its end is counted. */
  usage: Usage | undefined;
  /** Since when it waits for a person; null while it does not. */
  waitingSince: Date | null;
  /** How far its stream was told on its parent's. */
  told: EventCursor;
  /** Its end was told. */
  isOver: boolean;
}

/** The subagents of a turn that earlier attempts started, in the order they were. */
export async function loadChildren(
  db: Queryable,
  parentTurnId: string,
): Promise<Omit<ChildTurn, 'told' | 'isOver'>[]> {
  const rows = await db
    .select()
    .from(turns)
    .where(eq(turns.parentTurnId, parentTurnId))
    .orderBy(asc(turns.createdAt), asc(turns.id));
  return rows.map(({ id, parentCallId, options, usage, endedAt, waitingSince }) => ({
    id,
    callId: parentCallId ?? '',
    agent: options.options.persona,
    tokenBudget: options.options.agentConfig.tokenBudget,
    costLimit: options.options.costLimit,
    usage: endedAt === null ? undefined : (usage ?? undefined),
    waitingSince,
  }));
}

/** With how far each was told. */
export function withTold(
  children: readonly Omit<ChildTurn, 'told' | 'isOver'>[],
  said: readonly TurnEvent[],
): ChildTurn[] {
  return children.map((child) => {
    const told = said.reduce<EventCursor>(
      (last, event) =>
        event.type === 'subagent.told' &&
        event.childTurnId === child.id &&
        compareCursors(event.event, last) > 0
          ? event.event
          : last,
      logStart,
    );
    const isOver = said.some(
      (event) => event.type === 'subagent.ended' && event.childTurnId === child.id,
    );
    return { ...child, told, isOver };
  });
}
