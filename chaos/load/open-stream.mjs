import { request } from 'node:http';
import { createParser } from 'eventsource-parser';

/**
 * @typedef {object} StreamRequest
 * @property {string} url
 * @property {'GET' | 'POST'} method
 * @property {Record<string, string>} headers
 * @property {string} [body]
 * @property {(stream: OpenStream) => void} onOpen at the answer, before any frame
 * @property {(frame: RawFrame) => void} onFrame
 *
 * @typedef {{ id: string, event: string, data: string }} RawFrame
 *
 */

/** @typedef {import('../types.js').OpenStream} OpenStream */

/** Milliseconds of silence after which a connection is cut: the server sends comments more often. */
const SILENCE_MS = 40_000;

/** Milliseconds without an answer after which a connection is given up. */
const ANSWER_MS = 20_000;

/**
 * Opens a stream on a new connection.
 *
 * @param {StreamRequest} wanted
 * @returns {Promise<OpenStream>} of any status; if it is not 200, `refusal` is the body.
 *   Rejects when the connection breaks before the answer.
 */
export function openStream({ url, method, headers, body, onOpen, onFrame }) {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent: false, timeout: SILENCE_MS });
    const impatience = setTimeout(() => outgoing.destroy(new Error('not answered')), ANSWER_MS);
    outgoing.once('timeout', () => outgoing.destroy(new Error('silent')));
    outgoing.once('close', () => clearTimeout(impatience));
    // Later errors mean a connection that broke after the answer, which its end reports as well.
    outgoing.on('error', reject);
    outgoing.once('response', (response) => {
      clearTimeout(impatience);
      const { statusCode = 0 } = response;
      if (statusCode !== 200) {
        readText(response).then((refusal) => resolve({ ...refused(response), refusal }), reject);
        return;
      }
      const parser = createParser({
        onEvent: ({ id = '', event = '', data }) => onFrame({ id, event, data }),
      });
      response.setEncoding('utf8').on('data', (/** @type {string} */ text) => parser.feed(text));
      const over = new Promise((/** @type {(value: void) => void} */ done) => {
        response.once('close', () => done());
      });
      response.on('error', () => outgoing.destroy());
      /** @type {OpenStream} */
      const stream = {
        status: statusCode,
        headers: response.headers,
        refusal: '',
        cut: () => outgoing.destroy(),
        pause: (ms) => {
          response.pause();
          setTimeout(() => response.resume(), ms);
        },
        over,
      };
      onOpen(stream);
      resolve(stream);
    });
    outgoing.end(body);
  });
}

/** The most characters of a refusal that are kept. */
const MAX_KEPT_CHARS = 500;

/**
 * @param {import('node:http').IncomingMessage} response
 * @returns {Promise<string>}
 */
async function readText(response) {
  let read = '';
  for await (const text of response.setEncoding('utf8'))
    read = (read + text).slice(0, MAX_KEPT_CHARS);
  return read;
}

/**
 * The stream of a refusal, without frames.
 *
 * @param {import('node:http').IncomingMessage} response
 */
function refused({ statusCode = 0, headers }) {
  const nothing = () => undefined;
  return { status: statusCode, headers, cut: nothing, pause: nothing, over: Promise.resolve() };
}
