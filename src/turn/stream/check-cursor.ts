import {
  compareCursors,
  formatCursor,
  type Cursor,
  type EventCursor,
} from '../../events/cursor.js';
import { invalidRequest } from '../../errors/typed-error.js';
import type { TurnRow } from '../state/turn-row.js';

/**
 * Refuses a cursor that no reader of the turn can have. Of a turn that runs, a cursor ahead of its log
 * is fine: a log that lost its tail has readers ahead of it. Pure.
 *
 * @param last the last event of a turn that has ended.
 * @throws TypedError INVALID_REQUEST 400.
 */
export function checkCursor(
  { id: turnId, attempt }: Pick<TurnRow, 'id' | 'attempt'>,
  after: Cursor,
  last: EventCursor | undefined,
): void {
  const given = formatCursor(turnId, after);
  if (last !== undefined && compareCursors(after, last) > 0) {
    throw invalidRequest(
      `'${given}' is past the end of turn ${turnId}, whose last event is ${formatCursor(turnId, last)}. ` +
        'Read the turn from its start: send no cursor.',
      { turnId },
    );
  }
  if (last === undefined && after.attempt > attempt) {
    throw invalidRequest(
      `'${given}' is of an attempt that turn ${turnId} has not had. ` +
        'Send the id of the last frame you received, or none to read from the start.',
      { turnId },
    );
  }
}
