import { compareCursors, followsDirectly, parseFrameId } from './parse-frame-id.mjs';

/** @typedef {import('../types.js').Violation} Violation */

/**
 * Checks a reader by itself: cursors rise, none is missing, and there is one end, the last frame.
 *
 * @param {string} turnId
 * @param {import('../types.js').ReaderHistory} reader
 * @returns {Violation[]}
 */
export function checkReader(turnId, reader) {
  return [...checkOrder(turnId, reader), ...checkEnd(turnId, reader)];
}

/**
 * @param {string} turnId
 * @param {import('../types.js').ReaderHistory} reader
 * @returns {Violation[]}
 */
function checkOrder(turnId, { name, frames }) {
  /** @type {Violation[]} */
  const found = [];
  /** @type {import('./parse-frame-id.mjs').Cursor | undefined} */
  let last;
  /** @type {string | undefined} */
  let lastId;
  for (const { id, event, connection } of frames) {
    const cursor = parseFrameId(turnId, id);
    const where = `${name}, connection ${connection}: ${event} ${id} after ${lastId ?? 'nothing'}`;
    if (cursor === undefined) {
      found.push({ kind: 'bad-frame', turnId, note: where });
      continue;
    }
    const order = last === undefined ? 1 : compareCursors(cursor, last);
    if (order === 0) found.push({ kind: 'repeated', turnId, note: where });
    else if (order < 0) found.push({ kind: 'out-of-order', turnId, note: where });
    else if (!followsDirectly(last, cursor)) found.push({ kind: 'lost', turnId, note: where });
    if (order <= 0) continue;
    last = cursor;
    lastId = id;
  }
  return found;
}

/**
 * @param {string} turnId
 * @param {import('../types.js').ReaderHistory} reader
 * @returns {Violation[]}
 */
function checkEnd(turnId, { name, frames, hasLeft }) {
  /** @type {Violation[]} */
  const found = [];
  for (const event of ['turn:end', 'process:exit']) {
    const ends = frames.filter((frame) => frame.event === event).length;
    if (ends > 1) found.push({ kind: 'two-ends', turnId, note: `${name}: ${ends} × ${event}` });
    if (ends === 0 && !hasLeft) {
      const last = frames.at(-1);
      found.push({ kind: 'no-end', turnId, note: `${name}: no ${event}, last is ${last?.id}` });
    }
  }
  const exit = frames.findIndex((frame) => frame.event === 'process:exit');
  const after = exit === -1 ? undefined : frames[exit + 1];
  if (after !== undefined) {
    found.push({ kind: 'after-end', turnId, note: `${name}: ${after.event} ${after.id}` });
  }
  return found;
}
