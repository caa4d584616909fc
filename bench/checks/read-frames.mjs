import { createParser } from 'eventsource-parser';
import { wires } from '../load/wires.mjs';

/**
 * @typedef {object} Frame
 * @property {string | undefined} event @property {string | undefined} id @property {string} data
 * @property {number} atMs by `performance.now()`.
 */

const TIMEOUT_MS = 180_000;

/**
 * Posts a turn and yields its frames as they come.
 *
 * @param {string} url @param {{sessionId: string, message: string, opts?: object}} body
 */
export async function* postTurn(url, body) {
  yield* readFrames(
    await fetch(url + wires['turnpike']?.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }),
  );
}

/** Follows a turn from the start, or after a cursor. @param {string} url @param {string} turnId @param {string} [after] */
export async function* followTurn(url, turnId, after) {
  yield* readFrames(
    await fetch(`${url}/api/harness/turns/${turnId}/events`, {
      headers: after === undefined ? {} : { 'last-event-id': after },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }),
  );
}

/** @param {Response} response @returns {AsyncGenerator<Frame>} */
async function* readFrames(response) {
  if (!response.ok || response.body === null) {
    throw new Error(`A stream was refused: ${response.status} ${await response.text()}`);
  }
  /** @type {Frame[]} */
  let arrived = [];
  const parser = createParser({
    onEvent: ({ event, id, data }) => arrived.push({ event, id, data, atMs: performance.now() }),
  });
  const decoder = new TextDecoder();
  for await (const chunk of response.body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* arrived;
    arrived = [];
  }
}
