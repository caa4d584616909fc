import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

/** Every so many deliveries are refused at first, and so sent again. */
const REFUSED_AT_FIRST = 10;

/** @typedef {import('../types.js').ReceivedDelivery} ReceivedDelivery */

/**
 * A receiver of webhooks that counts what comes. It outlives all servers.
 *
 * @typedef {object} Receiver
 * @property {string} url
 * @property {Map<string, ReceivedDelivery>} received by `webhook-id`
 * @property {(secret: string) => void} trust requests that are signed with another are refused
 * @property {() => Promise<void>} close
 */

/** @returns {Promise<Receiver>} */
export async function startReceiver() {
  /** @type {Map<string, ReceivedDelivery>} */
  const received = new Map();
  let key = Buffer.alloc(0);
  const take = async (
    /** @type {import('node:http').IncomingMessage} */ request,
    /** @type {import('node:http').ServerResponse} */ response,
  ) => {
    const body = await text(request);
    const id = String(request.headers['webhook-id']);
    const isSigned = verify(key, request.headers, body);
    const known = received.get(id);
    const isRefused = known === undefined && received.size % REFUSED_AT_FIRST === 0;
    const { type, data } = JSON.parse(body);
    received.set(id, {
      type,
      turnId: data.turnId,
      outcome: data.outcome,
      isSigned: isSigned && known?.isSigned !== false,
      taken: (known?.taken ?? 0) + (isRefused ? 0 : 1),
    });
    response.writeHead(isRefused ? 500 : 204).end();
  };
  const server = createServer((request, response) => {
    // A sender that dies breaks its request off.
    take(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The receiver has no port');
  return {
    url: `http://127.0.0.1:${address.port}/`,
    received,
    trust: (secret) => (key = Buffer.from(secret.replace('whsec_', ''), 'base64')),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/**
 * @param {Buffer} key
 * @param {import('node:http').IncomingHttpHeaders} headers
 * @param {string} body
 */
function verify(key, headers, body) {
  const content = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.');
  const expected = Buffer.from(`v1,${createHmac('sha256', key).update(content).digest('base64')}`);
  const sent = Buffer.from(String(headers['webhook-signature']));
  return sent.length === expected.length && timingSafeEqual(sent, expected);
}
