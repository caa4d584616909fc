/**
 * The bench's model, a separate process: the Anthropic Messages wire, streaming only, as cheap as possible.
 * `[[tokens=N gap=MS]]` in the last message sets the size and pace of the reply.
 */
import { createServer } from 'node:http';
import { announce } from '../processes/announce.mjs';
import { nowMicros } from '../stamp.mjs';
import { createPacer } from './pace-streams.mjs';
import { closing, opening, parseOrder, renderDelta, renderWhole } from './render-reply.mjs';

const pacer = createPacer();
const headers = { 'content-type': 'text/event-stream', 'request-id': 'req_bench' };

const server = createServer((request, response) => {
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
  const order = parseOrder(body);
  if (order === undefined || !body.includes('"stream":true')) return refuse(response);
  response.writeHead(200, headers);
  if (order.gapMs === 0) {
    response.end(renderWhole(order.deltas, nowMicros()));
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

/** @param {import('node:http').ServerResponse} response */
function refuse(response) {
  const message = 'The bench streams, and needs [[tokens=N gap=MS]] in the last message.';
  response.writeHead(400, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }),
  );
}
