/**
 * @typedef {object} Place
 * @property {number} attempt
 * @property {number} seq
 * @property {number} part from 1; 0 where an event is one frame
 */

/**
 * `<turnId>:<attempt>.<seq>[.<n>]`, read with nothing of the server's.
 *
 * @param {string} turnId
 * @param {string} id
 * @returns {Place | undefined}
 */
export function parseFrameId(turnId, id) {
  if (!id.startsWith(`${turnId}:`)) return undefined;
  const match = /^(\d+)\.(\d+)(?:\.(\d+))?$/.exec(id.slice(turnId.length + 1));
  if (match === null) return undefined;
  return { attempt: Number(match[1]), seq: Number(match[2]), part: Number(match[3] ?? 0) };
}

/**
 * @param {Place} a
 * @param {Place} b
 */
export function comparePlaces(a, b) {
  return a.attempt - b.attempt || a.seq - b.seq || a.part - b.part;
}

/**
 * Whether nothing can be missing between two places that were read one after the other. A new
 * attempt begins at 1, wherever the one before was cut, and also when that one never said a word.
 *
 * @param {Place | undefined} before undefined: `next` is the first of the log
 * @param {Place} next
 */
export function followsDirectly(before, next) {
  const startsEvent = next.part <= 1;
  if (before === undefined) return startsEvent && next.seq === 1;
  if (next.attempt > before.attempt) return startsEvent && next.seq === 1;
  if (next.seq === before.seq) return next.part === before.part + 1;
  return startsEvent && next.seq === before.seq + 1;
}
