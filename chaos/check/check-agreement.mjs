import { createHash } from 'node:crypto';
import { comparePlaces, parseFrameId } from './parse-frame-id.mjs';

/** @typedef {import('../types.js').Frame} Frame */
/** @typedef {import('../types.js').Violation} Violation */
/** @typedef {import('./parse-frame-id.mjs').Place} Place */

/**
 * What a reader got while the turn ran, against the whole log, read after its end. One cursor is
 * one content, whoever reads it and when. Deltas that died with a worker or with Redis, at the end
 * of an attempt that is not the last, may be in one and not in the other: nothing else may.
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
    const place = parseFrameId(turnId, frame.id);
    // Told by the check of the reader alone.
    if (place === undefined) continue;
    if (same === undefined) {
      if (place.attempt < lastAttempt && isLostTail(frame, place, ends.kept)) continue;
      const note = `the log lacks ${frame.event} ${frame.id}, which ${reader.name} got`;
      found.push({ kind: 'lost', turnId, note });
    } else if (describe(same) !== describe(frame)) {
      const note = `${frame.id}: ${reader.name} got ${describe(frame)}, the log has ${describe(same)}`;
      found.push({ kind: 'two-readings', turnId, note });
    }
  }
  const until = lastPlace(turnId, reader.frames);
  for (const frame of log) {
    const place = parseFrameId(turnId, frame.id);
    if (place === undefined || until === undefined || got.has(frame.id)) continue;
    if (comparePlaces(place, until) > 0) continue;
    if (place.attempt < until.attempt && isLostTail(frame, place, ends.got)) continue;
    const note = `${reader.name} never got ${frame.event} ${frame.id}`;
    found.push({ kind: 'lost', turnId, note });
  }
  return found;
}

/**
 * Frames by what they weigh: enough to compare a log with itself, later.
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
 * What a crash may take back: what was streamed since the last fact. Facts are stored before they
 * are told, so that a reader that was told one finds it in every other reading.
 */
const mayBeLost = new Set([
  'step:start',
  'chat:delta',
  'thinking:delta',
  'source',
  'tool:request',
  'tool:args',
  'tool:progress',
]);

/**
 * @param {Frame} frame
 * @param {Place} place
 * @param {ReadonlyMap<number, Place>} ends of the attempts, in the reading that lacks it
 */
function isLostTail(frame, place, ends) {
  const end = ends.get(place.attempt);
  return mayBeLost.has(frame.event) && (end === undefined || comparePlaces(place, end) > 0);
}

/**
 * @param {string} turnId
 * @param {readonly Frame[]} frames
 */
function lastOfAttempts(turnId, frames) {
  /** @type {Map<number, Place>} */
  const ends = new Map();
  for (const { id } of frames) {
    const place = parseFrameId(turnId, id);
    if (place !== undefined) ends.set(place.attempt, place);
  }
  return ends;
}

/**
 * @param {string} turnId
 * @param {readonly Frame[]} frames
 */
function lastPlace(turnId, frames) {
  return frames.flatMap(({ id }) => parseFrameId(turnId, id) ?? []).at(-1);
}

/** @param {Frame} frame */
function describe({ event, data }) {
  return `${event} ${JSON.stringify(data).slice(0, 300)}`;
}
