import { hash, randomBytes } from 'node:crypto';

/** A key's text: `tpk_<id>_<secret>`, 16 hex digits and 32 bytes in base64url. */
const keyPattern = /tpk_[0-9a-f]{16}_[\w-]{43}/;
const wholeKey = new RegExp(`^${keyPattern.source}$`);

export interface NewSecret {
  /** Names the key in lists and logs; not secret. */
  id: string;
  /** The whole key, shown once. */
  text: string;
  hash: string;
}

export function newSecret(): NewSecret {
  const id = randomBytes(8).toString('hex');
  const text = `tpk_${id}_${randomBytes(32).toString('base64url')}`;
  return { id, text, hash: hashKey(text) };
}

/**
 * SHA-256 in hex. A secret of 256 random bits needs no slow hash, and a look-up by hash leaks
 * nothing through its timing.
 */
export function hashKey(text: string): string {
  return hash('sha256', text, 'hex');
}

/** Replaces every key and token in a text, and the greater part of one, for logs and errors. */
export function hideKeys(text: string): string {
  return text
    .replaceAll(/tps_v\d+\.[\w-]{10,}(?:\.[\w-]*)?/g, '[REDACTED_TOKEN]')
    .replaceAll(/tpk_[0-9a-f]{16}_[\w-]{10,43}/g, '[REDACTED_API_KEY]')
    .replaceAll(/eyJ[\w-]{10,}\.eyJ[\w-]{10,}(?:\.[\w-]*)?/g, '[REDACTED_TOKEN]');
}

export function isKeyText(text: string): boolean {
  return wholeKey.test(text);
}

/** Whether a text contains a key or a token, or the greater part of one. */
export function containsKey(text: string): boolean {
  return /tpk_[0-9a-f]{16}_[\w-]{10}|tps_v\d+\.[\w-]{10}|eyJ[\w-]{10,}\.eyJ[\w-]{10}/.test(text);
}
