import { text } from 'node:stream/consumers';
import { isSignedWith } from './is-signed-with.mjs';
import { listen } from './listen.mjs';

/** Every so many deliveries are refused at first, and so sent again. */
const REFUSED_AT_FIRST = 10;

/** @typedef {import('../types.js').ReceivedDelivery} ReceivedDelivery */

/**
 * A receiver of webhooks that counts what comes. It outlives all servers.
 *
 * @typedef {object} Receiver
 * @property {string} url
 * @property {Map<string, ReceivedDelivery>} received by `webhook-id`
 * @property {(secret: string) => void} trust requests that are signed with none of these are forged
 * @property {() => Promise<void>} close
 */

/** @returns {Promise<Receiver>} */
export async function startReceiver() {
  /** @type {Map<string, ReceivedDelivery>} */
  const received = new Map();
  /** @type {string[]} */
  const secrets = [];
  const take = async (
    /** @type {import('node:http').IncomingMessage} */ request,
    /** @type {import('node:http').ServerResponse} */ response,
  ) => {
    const body = await text(request);
    const id = String(request.headers['webhook-id']);
    const isSigned = secrets.some((secret) => isSignedWith(secret, request.headers, body));
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
  const { url, close } = await listen(take);
  return { url, received, trust: (secret) => void secrets.push(secret), close };
}
