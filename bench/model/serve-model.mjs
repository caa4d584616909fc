/**
 * The bench's model, a separate process: the Anthropic Messages wire, streaming only, as cheap as possible.
 * `[[tokens=N gap=MS piece=N steps=N]]` in the last message sets the size and pace of the reply, and how often a tool
 * is called before it. `GET /seen` says how many requests came, and their bytes.
 */
import { createServer } from 'node:http';
import { announce } from '../processes/announce.mjs';
import { nowMicros } from '../stamp.mjs';
import { createPacer } from './pace-streams.mjs';
import {
  closing,
  findStep,
  opening,
  parseOrder,
  renderCall,
  renderDelta,
  renderWhole,
} from './render-reply.mjs';

const pacer = createPacer();
const seen = { requests: 0, bytes: 0 };
const headers = { 'content-type': 'text/event-stream', 'request-id': 'req_bench' };

const server = createServer((request, response) => {
  if (request.url === '/seen') return void response.end(JSON.stringify(seen));
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk) => (body += chunk));
  request.on('end', () => answer(body, response));
});
// Longer than clients keep idle connections, so that no connection closes as it is reused.
server.keepAliveTimeout = 65_000;
announce(server);

/** @param {string} body @param {import('node:http').ServerResponse} response */
function answer(body, response) {
  seen.requests += 1;
  seen.bytes += body.length;
  const order = parseOrder(body);
  if (order === undefined || !body.includes('"stream":true')) return refuse(response);
  response.writeHead(200, headers);
  const step = findStep(body, order);
  if (step !== undefined) return void response.end(renderCall(step));
  if (order.gapMs === 0) {
    if (order.piece < order.deltas) sendPieces(order, response);
    else response.end(renderWhole(order.deltas, nowMicros()));
    return;
  }
  response.write(opening + renderDelta(0, nowMicros()));
  let sent = 1;
  const stream = {
    dueMs: performance.now() + order.gapMs,
    send() {
      if (response.destroyed) return false;
      if (sent === order.deltas) {
        response.end(closing(order.deltas));
        return false;
      }
      response.write(renderDelta(sent, nowMicros()));
      sent += 1;
      stream.dueMs += sent === order.deltas ? 0 : order.gapMs;
      return true;
    },
  };
  pacer.add(stream);
}

/**
 * Sends a reply without a gap in several writes. Each has a turn of the event loop: Node sends together what one
 * turn writes.
 *
 * @param {import('./render-reply.mjs').Order} order @param {import('node:http').ServerResponse} response
 */
function sendPieces({ deltas, piece }, response) {
  let sent = 0;
  const send = () => {
    const micros = nowMicros();
    const first = sent;
    sent = Math.min(deltas, sent + piece);
    let text = first === 0 ? opening : '';
    for (let index = first; index < sent; index += 1) text += renderDelta(index, micros);
    if (sent === deltas) return void response.end(text + closing(deltas));
    response.write(text);
    setImmediate(send);
  };
  send();
}

/** @param {import('node:http').ServerResponse} response */
function refuse(response) {
  const message = 'The bench streams, and needs [[tokens=N]] in the last message.';
  response.writeHead(400, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }),
  );
}
