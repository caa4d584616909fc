import { sql } from 'drizzle-orm';
import type { TurnEvent } from '../../events/turn-event.js';
import type { TypedError } from '../../errors/typed-error.js';
import type { turns } from '../../storage/schema.js';
import { attemptsExhausted } from '../state/turn-errors.js';

/**
 * The count for the attempt that a claim of `turns` begins. The attempt before counts if its process
 * died, unless it stored a step, a call or a call's end, or the turn waits for a subagent, whose own
 * attempts are counted. A turn that was handed back has none.
 */
export const countInVain = sql`case
  when turns.status = 'running' and turns.parked_attempt is distinct from turns.attempt
    and not exists (
      select 1 from steps where steps.turn_id = turns.id and steps.attempt = turns.attempt)
    and not exists (
      select 1 from tool_calls call where call.turn_id = turns.id and call.attempt = turns.attempt)
    and not exists (
      select 1 from turns child where child.parent_turn_id = turns.id and child.ended_at is null)
  then turns.attempts_in_vain + 1 else 1 end`;

/** Whether an event shows that something of that kind was stored. */
export function isProgress(type: TurnEvent['type']): boolean {
  return type === 'step.ended' || type === 'tool.started' || type === 'tool.ended';
}

/** The error of a turn with too many attempts in vain; undefined: the turn goes on. */
export function exhaustionOf(
  { id, attemptsInVain }: Pick<typeof turns.$inferSelect, 'id' | 'attemptsInVain'>,
  mostAttemptsInVain: number,
): TypedError | undefined {
  return attemptsInVain > mostAttemptsInVain
    ? attemptsExhausted(id, mostAttemptsInVain)
    : undefined;
}
