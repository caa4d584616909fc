import type { Queryable } from '../../storage/connection.js';
import { loadTurns } from '../state/stored-turn.js';
import { turnNotFound } from '../state/turn-errors.js';
import type { TurnRow } from '../state/turn-row.js';
import { Recording } from './recording.js';

/**
 * Loads what answers the calls of a turn that is a replay; undefined: it is none. A replay without tools has a
 * recording too, an empty one: none of its calls may run.
 *
 * @throws TypedError TURN_NOT_FOUND where the recorded turn was deleted meanwhile.
 */
export async function loadRecording(
  db: Queryable,
  { request }: Pick<TurnRow, 'request'>,
): Promise<Recording | undefined> {
  const { replay } = request;
  if (replay === undefined) return undefined;
  if (replay.tools === 'none') return new Recording([], []);
  const [recorded] = await loadTurns(db, [replay.turnId]);
  if (recorded === undefined) throw turnNotFound(replay.turnId);
  return new Recording(recorded.steps, recorded.calls);
}
