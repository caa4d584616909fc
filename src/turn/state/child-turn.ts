import { asc, eq } from 'drizzle-orm';
import { compareCursors, logStart, type EventCursor } from '../../events/cursor.js';
import type { Usage } from '../../storage/shapes/stored-step.js';
import type { TurnEvent } from '../../events/turn-event.js';
import type { CostLimit } from '../../storage/shapes/stored-options.js';
import type { Queryable } from '../../storage/connection.js';
import { turns } from '../../storage/schema.js';

/** A subagent's turn, as its parent's attempt knows it. */
export interface ChildTurn {
  id: string;
  callId: string;
  agent: string;
  /** Tokens that are reserved of its parent's budget until it has ended. */
  tokenBudget: number;
  costLimit: CostLimit | undefined;
  /** The child's usage; undefined until its end is counted. */
  usage: Usage | undefined;
  /** When the child was parked; null: it is not. */
  waitingSince: Date | null;
  /** The last event that was relayed to the parent's stream. */
  relayedTo: EventCursor;
  /** `subagent.ended` was emitted. */
  isOver: boolean;
}

/** Loads the subagents that earlier attempts started, in the order of their start. */
export async function loadChildren(
  db: Queryable,
  parentTurnId: string,
): Promise<Omit<ChildTurn, 'relayedTo' | 'isOver'>[]> {
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

/** Adds how far each child was relayed, by the parent's archived events. */
export function withRelayed(
  children: readonly Omit<ChildTurn, 'relayedTo' | 'isOver'>[],
  archived: readonly TurnEvent[],
): ChildTurn[] {
  return children.map((child) => {
    const relayedTo = archived.reduce<EventCursor>(
      (last, event) =>
        event.type === 'subagent.told' &&
        event.childTurnId === child.id &&
        compareCursors(event.event, last) > 0
          ? event.event
          : last,
      logStart,
    );
    const isOver = archived.some(
      (event) => event.type === 'subagent.ended' && event.childTurnId === child.id,
    );
    return { ...child, relayedTo, isOver };
  });
}
