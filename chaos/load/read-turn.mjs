import { judgeEnd } from '../access/judge-end.mjs';
import { openStream } from './open-stream.mjs';
import { judgeAnswer, MAX_REFUSALS } from './send-json.mjs';
import { apiAt, countAccess, countAnswer, sleep } from './world.mjs';

/** @typedef {import('../types.js').ReaderHistory} ReaderHistory */
/** @typedef {import('../types.js').OpenStream} OpenStream */
/** @typedef {import('./open-stream.mjs').RawFrame} RawFrame */
/** @typedef {import('../types.js').World} World */

/** Milliseconds between two connections. */
const RETRY_MS = 100;

/**
 * @typedef {object} ReadPlan
 * @property {string} name
 * @property {number} firstApi
 * @property {{ body: string, key: string, isRepeated: boolean, mayLose?: boolean }} [post] opens the turn, and
 *   is repeated until it is answered; `isRepeated`: a second client sends it as well; `mayLose`: another turn may
 *   take its place
 * @property {string} [turnId] of an existing turn
 * @property {readonly number[]} [cutsAfter]
 * @property {number} [pauseMs]
 * @property {number | undefined} [leaveAfter]
 * @property {(turnId: string) => void} [onAccepted]
 * @property {(count: number) => void} [onFrame] called with the number of frames
 *
 * @typedef {object} Reading
 * @property {World} world
 * @property {ReadPlan} plan
 * @property {ReaderHistory} history
 * @property {string | undefined} turnId
 * @property {number} posts sent so far
 * @property {number} connection
 * @property {number} cuts done so far
 * @property {boolean} hasPaused
 * @property {number} awaySince
 * @property {number} refusals of its tokens, in a row
 * @property {number} tokenEndsAt of the token that the connection began with
 *
 * @typedef {'over' | 'refused' | 'broken' | 'unanswered'} Outcome
 */

/**
 * Reads a turn from its first frame to the last, over as many connections as it takes. Each connection
 * goes on after the last id, at the next API.
 *
 * @param {World} world
 * @param {ReadPlan} plan
 * @returns {Promise<{ turnId: string | undefined, history: ReaderHistory }>} no id: refused, or
 *   never answered
 */
export async function readTurn(world, plan) {
  /** @type {Reading} */
  const reading = {
    world,
    plan,
    history: { name: plan.name, frames: [], maxAwayMs: 0, hasLeft: false },
    turnId: plan.turnId,
    posts: 0,
    connection: -1,
    cuts: 0,
    hasPaused: false,
    awaySince: Date.now(),
    refusals: 0,
    tokenEndsAt: Infinity,
  };
  for (let api = plan.firstApi; Date.now() < world.giveUpAt; api += 1) {
    const outcome = await readOnce(reading, apiAt(world, api));
    if (outcome === 'over' || outcome === 'refused') break;
    if (outcome === 'broken') {
      reading.awaySince = Date.now();
      world.tally.brokenConnections += 1;
    }
    await sleep(RETRY_MS);
  }
  return { turnId: reading.turnId, history: reading.history };
}

/**
 * @param {Reading} reading
 * @param {string} api
 * @returns {Promise<Outcome>}
 */
async function readOnce(reading, api) {
  const { world, history } = reading;
  const route = reading.turnId === undefined ? 'POST turn' : 'GET events';
  if (reading.turnId === undefined) reading.posts += 1;
  /** @type {OpenStream | undefined} */
  let stream;
  let isDone = false;
  try {
    const token = await world.person?.credential();
    reading.tokenEndsAt = token?.expiresAt ?? Infinity;
    const { headers, ...wanted } = requestOf(reading, api);
    const authorization = token === undefined ? {} : { authorization: token.authorization };
    const opened = await openStream({
      ...wanted,
      headers: { ...headers, ...authorization },
      onOpen: (answered) => {
        stream = answered;
        world.streams.add(answered);
        if (answered.status === 200) begin(reading, answered);
      },
      onFrame: (frame) => {
        // Frames of the chunk after the one at which the reader left.
        if (isDone || stream === undefined) return;
        if (isNotice(frame, reading)) return;
        take(reading, frame);
        isDone = act(reading, stream) === 'done';
      },
    });
    countAnswer(world.tally, route, opened.status);
    reading.refusals = opened.status === 401 ? reading.refusals + 1 : 0;
    if (opened.status !== 200) return judgeRefusal(reading, route, opened);
    // A turn that never ends would send comments for ever.
    const giveUp = setTimeout(opened.cut, Math.max(0, world.giveUpAt - Date.now()));
    await opened.over;
    clearTimeout(giveUp);
  } catch {
    // The API is down: the next API is tried.
    countAnswer(world.tally, route, 'broken');
    reading.refusals = 0;
    return 'unanswered';
  } finally {
    if (stream !== undefined) world.streams.delete(stream);
  }
  const isOver = history.hasLeft || history.frames.at(-1)?.event === 'process:exit';
  return isOver ? 'over' : 'broken';
}

/**
 * Takes a frame that is no event of the turn, and has no cursor: the token of the stream ended, or the worker of the turn
 * does not answer.
 *
 * @param {RawFrame} frame
 * @param {Reading} reading
 */
function isNotice({ id, event, data }, { world, turnId = '', tokenEndsAt }) {
  const { person, tally } = world;
  if (event === 'turn:stalled' && id === '') {
    tally.stalls += 1;
    return true;
  }
  if (event !== 'session:reauthenticate' || id !== '' || person === undefined) return false;
  const { reason } = parseData(data);
  countAccess(tally, `streams that ended because their token ${String(reason)}`);
  const violation = judgeEnd(person, { reason, turnId, tokenEndsAt });
  if (violation !== undefined) tally.violations.push(violation);
  person.renew();
  return true;
}

/**
 * @param {Reading} reading
 * @param {string} api
 */
function requestOf({ plan, turnId, history }, api) {
  if (turnId === undefined) {
    if (plan.post === undefined) throw new Error('There is no turn to read');
    const { body, key } = plan.post;
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    return { url: `${api}/api/harness/turn`, method: /** @type {const} */ ('POST'), headers, body };
  }
  const last = history.frames.at(-1)?.id;
  return {
    url: `${api}/api/harness/turns/${turnId}/events`,
    method: /** @type {const} */ ('GET'),
    headers: /** @type {Record<string, string>} */ (
      last === undefined ? {} : { 'last-event-id': last }
    ),
  };
}

/**
 * @param {Reading} reading
 * @param {OpenStream} stream
 */
function begin(reading, { headers }) {
  const { history, plan, world } = reading;
  reading.connection += 1;
  const awayMs = Date.now() - reading.awaySince;
  if (reading.connection > 0) {
    history.maxAwayMs = Math.max(history.maxAwayMs, awayMs);
    world.tally.reconnectMs.push(awayMs);
  }
  if (reading.turnId !== undefined) return;
  reading.turnId = String(headers['x-turn-id']);
  plan.onAccepted?.(reading.turnId);
}

/**
 * @param {Reading} reading
 * @param {RawFrame} raw
 */
function take({ history, connection, plan }, { id, event, data }) {
  history.frames.push({ id, event, data: parseData(data), at: Date.now(), connection });
  plan.onFrame?.(history.frames.length);
}

/** Data as an object; any other text becomes a field of one. @param {string} text @returns {Record<string, unknown>} */
function parseData(text) {
  try {
    const data = JSON.parse(text);
    return typeof data === 'object' && data !== null ? data : { unreadable: text };
  } catch {
    return { unreadable: text };
  }
}

/**
 * Does what the plan has for the frame that just came.
 *
 * @param {Reading} reading
 * @param {OpenStream} stream
 * @returns {'done' | 'goes-on'}
 */
function act(reading, stream) {
  const { plan, history } = reading;
  const { cutsAfter = [], leaveAfter, pauseMs = 0 } = plan;
  const count = history.frames.length;
  if (leaveAfter !== undefined && count >= leaveAfter) {
    history.hasLeft = true;
    stream.cut();
    return 'done';
  }
  if (pauseMs > 0 && !reading.hasPaused && count >= 5) {
    reading.hasPaused = true;
    stream.pause(pauseMs);
  }
  const cut = cutsAfter[reading.cuts];
  if (cut === undefined || count < cut) return 'goes-on';
  reading.cuts += 1;
  stream.cut();
  return 'done';
}

/**
 * @param {Reading} reading
 * @param {string} route
 * @param {OpenStream} answer
 * @returns {Outcome}
 */
function judgeRefusal(reading, route, { status, headers, refusal }) {
  const { turnId, world, plan, posts } = reading;
  const { violations } = world.tally;
  if (status === 401 && world.person !== undefined) {
    if (world.person.leaves) return leave(reading);
    world.person.renew();
    countAccess(world.tally, 'requests refused until the next token');
    if (reading.refusals <= MAX_REFUSALS) return 'unanswered';
  }
  const retryAfter = headers['retry-after'] ?? null;
  const violation = judgeAnswer(route, { status, retryAfter, body: refusal }, world.person);
  if (violation !== undefined) violations.push({ ...violation, turnId: turnId ?? '' });
  if (status >= 500 || status === 429) return 'unanswered';
  const note = `${plan.name}, ${route} ${plan.post?.key ?? ''}: ${status} ${refusal}`;
  const isAgain = posts > 1 || plan.post?.isRepeated === true;
  if (status === 409 && plan.post?.mayLose === true) return 'refused';
  if (turnId !== undefined) violations.push({ kind: 'turn-missing', turnId, note });
  else if (status !== 409) violations.push({ kind: 'bad-answer', turnId: '', note });
  else violations.push({ kind: isAgain ? 'repeat-refused' : 'busy-after-end', turnId: '', note });
  return 'refused';
}

/**
 * Ends the reading of a person who left: who reads the turn then is the kit alone.
 *
 * @param {Reading} reading
 * @returns {Outcome}
 */
function leave({ history, turnId, world }) {
  history.hasLeft = true;
  history.maxAwayMs = Infinity;
  if (turnId !== undefined) countAccess(world.tally, 'readers of the leaver whose streams ended');
  return 'refused';
}
