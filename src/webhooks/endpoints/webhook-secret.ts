import { randomBytes } from 'node:crypto';

/** Bytes of a secret; Standard Webhooks takes 24 to 64. */
const SECRET_BYTES = 32;
const prefix = 'whsec_';

/** A new secret, as the libraries of receivers take it: `whsec_` and its bytes in base64. */
export function newWebhookSecret(): string {
  return prefix + randomBytes(SECRET_BYTES).toString('base64');
}

/** The bytes that sign. */
export function secretBytes(secret: string): Buffer {
  return Buffer.from(secret.slice(prefix.length), 'base64');
}
