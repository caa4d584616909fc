import { createHash } from 'node:crypto';
import { compareCursors, parseFrameId } from './parse-frame-id.mjs';

/** @typedef {import('../types.js').Frame} Frame */
/** @typedef {import('../types.js').Violation} Violation */
/** @typedef {import('./parse-frame-id.mjs').Cursor} Cursor */

/**
 * Compares a live reader with the whole log after the turn's end. A cursor has one content for every
 * reader. Only deltas at the end of an attempt that is not the last may be in one and not in the other:
 * they died with a worker or with Redis.
 *
 * @param {string} turnId
 * @param {{ name: string, frames: readonly Frame[] }} reader
 * @param {readonly Frame[]} log
 * @returns {Violation[]}
 */
export function checkAgreement(turnId, reader, log) {
  const kept = new Map(log.map((frame) => [frame.id, frame]));
  const got = new Map(reader.frames.map((frame) => [frame.id, frame]));
  const ends = { kept: lastOfAttempts(turnId, log), got: lastOfAttempts(turnId, reader.frames) };
  const lastAttempt = Math.max(...ends.kept.keys());
  /** @type {Violation[]} */
  const found = [];
  for (const frame of reader.frames) {
    const same = kept.get(frame.id);
    const cursor = parseFrameId(turnId, frame.id);
    // `checkReader` reports bad ids.
    if (cursor === undefined) continue;
    if (same === undefined) {
      if (cursor.attempt < lastAttempt && isLostTail(frame, cursor, ends.kept)) continue;
      const note = `the log lacks ${frame.id} ${describe(frame)}, which ${reader.name} got`;
      found.push({ kind: 'lost', turnId, note });
    } else if (describe(same) !== describe(frame)) {
      const note = `${frame.id}: ${reader.name} got ${describe(frame)}, the log has ${describe(same)}`;
      found.push({ kind: 'two-readings', turnId, note });
    }
  }
  const until = lastCursor(turnId, reader.frames);
  for (const frame of log) {
    const cursor = parseFrameId(turnId, frame.id);
    if (cursor === undefined || until === undefined || got.has(frame.id)) continue;
    if (compareCursors(cursor, until) > 0) continue;
    if (cursor.attempt < until.attempt && isLostTail(frame, cursor, ends.got)) continue;
    const note = `${reader.name} never got ${frame.event} ${frame.id}`;
    found.push({ kind: 'lost', turnId, note });
  }
  return found;
}

/**
 * Frames with digests of their data, to compare a log with itself later.
 *
 * @param {readonly Frame[]} frames
 * @returns {Frame[]}
 */
export function weighFrames(frames) {
  return frames.map((frame) => {
    const digest = createHash('sha256').update(JSON.stringify(frame.data)).digest('base64');
    return { ...frame, data: { digest: digest.slice(0, 12) } };
  });
}

/**
 * Frames that a crash may void: those since the last stored event. Stored events are published after
 * they are stored, so that every reader gets them. A partial object is part of a delta's event.
 */
const mayBeLost = new Set([
  'step:start',
  'chat:delta',
  'output:partial',
  'thinking:delta',
  'source',
  'tool:request',
  'tool:args',
  'tool:progress',
]);

/**
 * @param {Frame} frame
 * @param {Cursor} cursor
 * @param {ReadonlyMap<number, Cursor>} ends of the attempts, in the reading that lacks the frame
 */
function isLostTail(frame, cursor, ends) {
  const end = ends.get(cursor.attempt);
  // The notice of a wait is for the time of the wait.
  const isWait = frame.event === 'system:notice' && frame.data['kind'] === 'budget-wait';
  return (
    (isWait || mayBeLost.has(frame.event)) && (end === undefined || compareCursors(cursor, end) > 0)
  );
}

/**
 * @param {string} turnId
 * @param {readonly Frame[]} frames
 */
function lastOfAttempts(turnId, frames) {
  /** @type {Map<number, Cursor>} */
  const ends = new Map();
  for (const { id } of frames) {
    const cursor = parseFrameId(turnId, id);
    if (cursor !== undefined) ends.set(cursor.attempt, cursor);
  }
  return ends;
}

/**
 * @param {string} turnId
 * @param {readonly Frame[]} frames
 */
function lastCursor(turnId, frames) {
  return frames.flatMap(({ id }) => parseFrameId(turnId, id) ?? []).at(-1);
}

/** @param {Frame} frame */
function describe({ event, data }) {
  return `${event} ${JSON.stringify(data).slice(0, 300)}`;
}
