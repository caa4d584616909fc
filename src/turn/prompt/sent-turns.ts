import type { StoredPart } from '../../storage/shapes/stored-step.js';
import { isSameJson } from '../../platform/json.js';
import type { StoredTurn } from '../state/stored-turn.js';

/**
 * The turns of a session that a later turn's requests contain. A turn that the provider refused is
 * left out for good; of a question that was asked again after it failed, only the last try is in.
 * Pure.
 *
 * @param next the user's parts of the turn that follows.
 */
export function sentTurns<T extends Pick<StoredTurn, 'turn' | 'userParts' | 'steps' | 'steered'>>(
  turns: readonly T[],
  next: readonly StoredPart[],
): T[] {
  const sent: T[] = [];
  let asked = next;
  for (const turn of turns.toReversed()) {
    if (turn.turn.leftOut !== null) continue;
    if (isEmptyFailure(turn) && isSameJson(turn.userParts, asked)) continue;
    sent.unshift(turn);
    asked = turn.userParts;
  }
  return sent;
}

function isEmptyFailure({
  turn,
  steps,
  steered,
}: Pick<StoredTurn, 'turn' | 'steps' | 'steered'>): boolean {
  return (
    turn.status === 'failed' &&
    steered.length === 0 &&
    steps.every(({ parts }) => parts.length === 0)
  );
}
