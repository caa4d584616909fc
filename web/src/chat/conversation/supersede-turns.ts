import type { ShownTurn } from './turn-view.js';

/**
 * The turns once another has taken the place of one of them, and of those of the conversation that
 * follow it: as the server supersedes them. Pure.
 *
 * @param turns oldest first.
 * @param replaces undefined: nothing is replaced.
 */
export function supersedeTurns(
  turns: readonly ShownTurn[],
  supersededBy: string,
  replaces: string | undefined,
): readonly ShownTurn[] {
  const at = turns.findIndex(({ turnId }) => turnId === replaces);
  if (at === -1) return turns;
  return turns.map((turn, place) => {
    const isReplaced =
      place >= at &&
      turn.turnId !== supersededBy &&
      turn.supersededBy === undefined &&
      // A message that the server has not accepted follows nothing yet.
      turn.submission === undefined;
    return isReplaced ? { ...turn, supersededBy } : turn;
  });
}
