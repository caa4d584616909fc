import { createHmac } from 'node:crypto';
import { secretBytes } from '../endpoints/webhook-secret.js';

/** The signed parts of a request. */
export interface SignedContent {
  /** The `webhook-id`. */
  id: string;
  /** The `webhook-timestamp`: seconds since the epoch, of this try. */
  timestamp: number;
  body: string;
}

/** The `webhook-signature`: one signature for each secret, separated by a space. Pure. */
export function signDelivery(
  { id, timestamp, body }: SignedContent,
  secrets: readonly string[],
): string {
  return secrets
    .map((secret) => {
      const hmac = createHmac('sha256', secretBytes(secret));
      return `v1,${hmac.update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    })
    .join(' ');
}
