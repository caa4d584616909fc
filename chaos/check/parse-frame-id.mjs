/**
 * @typedef {object} Cursor
 * @property {number} attempt
 * @property {number} seq
 * @property {number} part from 1; 0 where an event is one frame
 */

/**
 * Parses `<turnId>:<attempt>.<seq>[.<n>]`, without code of the server's.
 *
 * @param {string} turnId
 * @param {string} id
 * @returns {Cursor | undefined}
 */
export function parseFrameId(turnId, id) {
  if (!id.startsWith(`${turnId}:`)) return undefined;
  const match = /^(\d+)\.(\d+)(?:\.(\d+))?$/.exec(id.slice(turnId.length + 1));
  if (match === null) return undefined;
  return { attempt: Number(match[1]), seq: Number(match[2]), part: Number(match[3] ?? 0) };
}

/**
 * @param {Cursor} a
 * @param {Cursor} b
 */
export function compareCursors(a, b) {
  return a.attempt - b.attempt || a.seq - b.seq || a.part - b.part;
}

/**
 * Whether no event can be missing between two adjacent cursors. A new attempt begins at 1, wherever the
 * attempt before ended, even without any event.
 *
 * @param {Cursor | undefined} before undefined: `next` is the first of the log
 * @param {Cursor} next
 */
export function followsDirectly(before, next) {
  const startsEvent = next.part <= 1;
  if (before === undefined) return startsEvent && next.seq === 1;
  if (next.attempt > before.attempt) return startsEvent && next.seq === 1;
  if (next.seq === before.seq) return next.part === before.part + 1;
  return startsEvent && next.seq === before.seq + 1;
}
