import { sql } from 'drizzle-orm';
import type { TurnEvent } from '../../events/turn-event.js';
import type { turns } from '../../storage/schema.js';

/**
 * The count for the attempt that a claim of `turns` begins. The attempt before counts if its process
 * died, unless it stored a step, a call or a call's end, or the turn waits for a subagent, whose own
 * attempts are counted. A turn that was handed back has none.
 */
export const countAttemptsInVain = sql`case
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

type CountedTurn = Pick<typeof turns.$inferSelect, 'attempt' | 'parkedAttempt' | 'attemptsInVain'>;

/** Whether a turn has had all its attempts in vain: the attempt that its claim began only ends it. */
export function isExhausted(
  { attemptsInVain }: Pick<CountedTurn, 'attemptsInVain'>,
  maxAttempts: number,
): boolean {
  return attemptsInVain > maxAttempts;
}

/**
 * Keeps a turn that ends its processes from using up the attempts of others: a process takes the turns that it runs
 * with it. All turns that lost their worker run side by side, but one on its last attempt runs beside no other of them
 * that has stored nothing new since, as any of those may have ended the process before.
 */
export class TakeoverGuard {
  readonly #unproven = new Set<symbol>();
  #hasLast = false;

  constructor(private readonly maxAttempts: number) {}

  /**
   * @returns to be called when the turn has stored something, or its attempt is over; undefined: the
   *   turn has to wait for other takeovers, see `TurnClaims.postpone`.
   */
  begin(turn: CountedTurn): (() => void) | undefined {
    const { attempt, parkedAttempt, attemptsInVain } = turn;
    const isTakeover = attempt > 1 && parkedAttempt !== attempt - 1;
    if (!isTakeover || isExhausted(turn, this.maxAttempts)) return () => undefined;
    const isLast = attemptsInVain > 1 && attemptsInVain === this.maxAttempts;
    if (this.#hasLast || (isLast && this.#unproven.size > 0)) return undefined;
    const takeover = Symbol('takeover');
    this.#unproven.add(takeover);
    this.#hasLast = isLast;
    return () => {
      if (!this.#unproven.delete(takeover)) return;
      // No other takeover ran beside it.
      if (isLast) this.#hasLast = false;
    };
  }
}
