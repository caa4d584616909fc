import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Whether a request of a server is signed, as Standard Webhooks has it.
 *
 * @param {string} secret `whsec_…`
 * @param {import('node:http').IncomingHttpHeaders} headers
 * @param {string} body
 */
export function isSignedWith(secret, headers, body) {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const content = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.');
  const expected = Buffer.from(`v1,${createHmac('sha256', key).update(content).digest('base64')}`);
  const sent = Buffer.from(String(headers['webhook-signature']));
  return sent.length === expected.length && timingSafeEqual(sent, expected);
}
