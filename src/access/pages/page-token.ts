import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import { keyScopes } from '../../storage/governance-schema.js';

/** Longest page token, in characters. */
const MAX_CHARS = 8 * 1024;

const BEGIN = 'tps_v1.';

/** The claims of a page token; its signature vouches for them. */
const claimsShape = z.object({
  /** Names the token in the audit log. */
  id: z.string(),
  /** The key that made it. */
  key: z.string(),
  principal: z.string(),
  scopes: z.array(z.enum(keyScopes)),
  /** The principal's epoch. */
  epoch: z.number(),
  /** In ms since the epoch. */
  expiresAt: z.number(),
  /** The one session that it is for; absent: all of the principal. */
  session: z.optional(z.string()),
  /** The agents that it is for; absent: all. */
  agents: z.optional(z.array(z.string())),
  /** Roles in which the page may decide about calls of others; absent: none. */
  approves: z.optional(z.array(z.string())),
  /** The origin of the page that may send it; absent: any. */
  origin: z.optional(z.string()),
});

export type PageClaims = Readonly<z.infer<typeof claimsShape>>;

/** Why a page token is not taken, and what a page does about it. */
export const pageTokenFaults = {
  MALFORMED: 'The page token is not complete. Send it as it was made',
  WRONG_VERSION:
    'The page token is of a version that this server does not know. Ask your backend for a new one',
  BAD_SIGNATURE:
    'The signature of the page token is wrong. Send it unchanged, to the server that made it',
  EXPIRED: 'The page token has expired. Ask your backend for a new one',
  ENDED:
    'The access of this principal was ended after the page token was made. Ask your backend for a new one',
  WRONG_ORIGIN:
    'The page token is for the pages of another origin. Ask your backend for one with the origin of this page',
  KEY_UNKNOWN: 'The API key that made the page token is gone. Ask your backend for a new one',
  KEY_EXPIRED:
    'The API key that made the page token has expired. The backend needs a new key, and makes new tokens with it',
  KEY_REVOKED:
    'The API key that made the page token was revoked. The backend needs a new key, and makes new tokens with it',
} as const;

export type PageTokenFault = keyof typeof pageTokenFaults;

export class PageTokenError extends Error {
  constructor(readonly fault: PageTokenFault) {
    super(pageTokenFaults[fault]);
  }
}

/** Whether a text means to be a page token, of any version. */
export function isPageTokenText(text: string): boolean {
  return text.startsWith('tps_');
}

/** `tps_v1.<payload>.<HMAC-SHA256 of what is before>`, both in base64url. */
export function signPageToken(claims: PageClaims, key: Buffer): string {
  const signed = BEGIN + Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${signed}.${macOf(signed, key).toString('base64url')}`;
}

/** Reads the claims of a page token that was signed with the key. Pure. @throws PageTokenError. */
export function openPageToken(text: string, key: Buffer): PageClaims {
  if (!text.startsWith(BEGIN)) throw new PageTokenError('WRONG_VERSION');
  const [, payload, mac] = /^tps_v1\.([\w-]+)\.([\w-]{43})$/.exec(text) ?? [];
  if (payload === undefined || mac === undefined || text.length > MAX_CHARS) {
    throw new PageTokenError('MALFORMED');
  }
  const given = Buffer.from(mac, 'base64url');
  if (!timingSafeEqual(given, macOf(BEGIN + payload, key))) {
    throw new PageTokenError('BAD_SIGNATURE');
  }
  return claimsShape.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
}

function macOf(signed: string, key: Buffer): Buffer {
  return createHmac('sha256', key).update(signed).digest();
}
