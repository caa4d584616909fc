import { markerOf } from '../plan/plan-turn.mjs';

/**
 * Checks that each command ran as often as its ledger says: once if it succeeded, never if it was denied,
 * at most once if its outcome is unknown.
 *
 * @param {readonly { turnId: string, calls: import('../types.js').TurnRows['calls'] }[]} turns
 * @param {ReadonlyMap<string, number>} lines marker → how often it was written
 * @returns {import('../types.js').Violation[]}
 */
export function checkMarks(turns, lines) {
  return turns.flatMap(({ turnId, calls }) =>
    calls.flatMap(({ callId, status, command }) => {
      const marker = command === undefined ? undefined : markerOf(command);
      if (marker === undefined) return [];
      const count = lines.get(marker) ?? 0;
      const kind = faultOf(status, count);
      if (kind === undefined) return [];
      return [{ kind, turnId, note: `${callId} (${status}) wrote ${marker} ${count} times` }];
    }),
  );
}

/**
 * @param {string} status
 * @param {number} count
 * @returns {import('../types.js').ViolationKind | undefined}
 */
function faultOf(status, count) {
  if (count > 1) return 'ran-twice';
  if (status === 'success' && count === 0) return 'ran-not';
  if (status === 'denied' && count > 0) return 'ran-denied';
  return undefined;
}
