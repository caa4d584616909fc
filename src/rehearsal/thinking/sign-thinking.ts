import { createHash, createHmac } from 'node:crypto';
import type { RedactedThinkingBlock, ThinkingBlock } from '../request-types.js';
import type { Prefix } from './canonical-prefix.js';

/** The content of a signature. */
export interface ThinkingClaim {
  /** The id of the block's model. */
  model: string;
  /** The block's reply, and its index among the thinking of that reply, from 0. */
  reply: string;
  index: number;
  /** The id of the thinking block before it; empty: none. */
  after: string;
  /** The number of thinking blocks before it. */
  depth: number;
  prefix: Prefix;
  /** A digest of the text as it was shown. */
  shown: string;
}

/** The content of a signature, with the id that a later block's `after` has. */
export type SignedClaim = ThinkingClaim & { id: string };

const mark = 'rehearsal-';
/**
 * A constant, not a secret: signatures prove that a rehearsal made a block, also before a restart.
 */
const key = 'turnpike rehearsal thinking';
const sealBytes = 12;

export function signThinking(claim: Omit<ThinkingClaim, 'shown'>, text: string): string {
  const payload = Buffer.from(JSON.stringify({ ...claim, shown: digest(text) })).toString(
    'base64url',
  );
  return `${mark}${payload}.${seal(payload)}`;
}

/** The id in a signature of a rehearsal. */
export function idOf(signature: string): string {
  return signature.slice(signature.lastIndexOf('.') + 1);
}

/**
 * Parses the signature of a block.
 *
 * @returns `foreign` for a signature of another maker, `damaged` for one that was changed
 */
export function parseSignature(
  block: ThinkingBlock | RedactedThinkingBlock,
): SignedClaim | 'foreign' | 'damaged' {
  const signature = block.type === 'thinking' ? block.signature : block.data;
  if (signature === '') return 'damaged';
  if (!signature.startsWith(mark)) return 'foreign';
  const [payload = '', sealed = ''] = signature.slice(mark.length).split('.');
  if (seal(payload) !== sealed) return 'damaged';
  const claim = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as ThinkingClaim;
  return { ...claim, id: sealed };
}

/** Whether the text of a block is the one that was signed. */
export function isShown(
  claim: ThinkingClaim,
  block: ThinkingBlock | RedactedThinkingBlock,
): boolean {
  return claim.shown === digest(block.type === 'thinking' ? block.thinking : '');
}

function seal(payload: string): string {
  return createHmac('sha256', key)
    .update(payload)
    .digest()
    .subarray(0, sealBytes)
    .toString('base64url');
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, sealBytes).toString('base64url');
}
