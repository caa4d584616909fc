import { createHash, createHmac } from 'node:crypto';
import type { RedactedThinkingBlock, ThinkingBlock } from '../request-types.js';
import type { Prefix } from './canonical-prefix.js';

/** What a signature says of its block. */
export interface ThinkingClaim {
  /** The id of the model that thought. */
  model: string;
  /** The reply it is of, and its place among the thinking of that reply, from 0. */
  reply: string;
  index: number;
  /** The id of the thinking right before it; empty: none was there. */
  after: string;
  /** How many blocks of thinking were before it. */
  depth: number;
  prefix: Prefix;
  /** The text as it was shown. */
  shown: string;
}

/** The same, with the id by which a later block names it. */
export type SignedClaim = ThinkingClaim & { id: string };

const mark = 'rehearsal-';
/**
 * No secret: it proves that a block came from a rehearsal unchanged, also from one that has been
 * restarted since.
 */
const key = 'turnpike rehearsal thinking';
const sealBytes = 12;

export function signThinking(claim: Omit<ThinkingClaim, 'shown'>, text: string): string {
  const payload = Buffer.from(JSON.stringify({ ...claim, shown: digest(text) })).toString(
    'base64url',
  );
  return `${mark}${payload}.${seal(payload)}`;
}

/** The id that `readSignature` finds in a signature of ours. */
export function idOf(signature: string): string {
  return signature.slice(signature.lastIndexOf('.') + 1);
}

/**
 * What the signature of a block says.
 *
 * @returns `foreign` for one of no rehearsal, `damaged` for one that was changed on its way
 */
export function readSignature(
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

/** Whether the text is the one that was signed. */
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
