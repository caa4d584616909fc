import { request } from 'node:http';
import { createParser } from 'eventsource-parser';
import { nowMicros } from '../stamp.mjs';
import { createTally } from './tally-stream.mjs';

/**
 * @typedef {object} TurnRead
 * @property {number} startMicros @property {number} endMicros
 * @property {number} bytes received over the socket, with headers and framing.
 * @property {string | undefined} error
 * @property {ReturnType<typeof createTally>['tally']} tally
 */

const timeoutMs = 120_000;

/**
 * Posts a turn and reads it to its end. Never rejects: `error` has the fault.
 *
 * @param {{wire: import('./wires.mjs').Wire, url: string, agent: import('node:http').Agent,
 *   body: string, deltas: number, startMicros?: number, authorization?: string | undefined}} options
 * @returns {Promise<TurnRead>}
 */
export function readTurn({
  wire,
  url,
  agent,
  body,
  deltas,
  authorization,
  startMicros = nowMicros(),
}) {
  return new Promise((resolve) => {
    const { tally, add } = createTally(deltas);
    let ended = false;
    let bytesBefore = 0;
    /** @type {import('node:net').Socket | undefined} */
    let socket;
    /** @param {string} [error] */
    const settle = (error) => {
      clearTimeout(timer);
      const endMicros = nowMicros();
      const bytes = (socket?.bytesRead ?? 0) - bytesBefore;
      resolve({ startMicros, endMicros, bytes, error, tally });
    };
    const call = request(url + wire.path, {
      method: 'POST',
      agent,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...(authorization && { authorization }),
      },
    });
    const timer = setTimeout(
      () => call.destroy(new Error(`no end after ${timeoutMs} ms`)),
      timeoutMs,
    );
    call.once('socket', (taken) => {
      socket = taken;
      bytesBefore = taken.bytesRead;
    });
    call.once('error', (error) => settle(error.message));
    call.once('response', (response) => {
      let readMicros = 0;
      const parser = createParser({
        onEvent: (event) => {
          if (wire.isDelta(event)) add(event.data, readMicros);
          else if (wire.isEnd(event)) ended = true;
        },
      });
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        readMicros = nowMicros();
        parser.feed(chunk);
      });
      response.once('error', (error) => settle(error.message));
      response.once('end', () => {
        if (response.statusCode !== 200) settle(`status ${response.statusCode}`);
        else settle(ended ? undefined : 'the stream closed before its end');
      });
    });
    call.end(body);
  });
}
