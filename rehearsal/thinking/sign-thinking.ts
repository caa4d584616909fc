import { createHash, createHmac } from 'node:crypto';
import {
  type ThinkingBlock,
  blocksOf,
  isThinkingBlock,
  type MessagesRequest,
  type RequestBlock,
  type RequestMessage,
} from '../request-types.js';
import { isPlainObject } from '../json.js';

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
export function parseSignature(block: ThinkingBlock): SignedClaim | 'foreign' | 'damaged' {
  const signature = block.type === 'thinking' ? block.signature : block.data;
  if (signature === '') return 'damaged';
  if (!signature.startsWith(mark)) return 'foreign';
  const [payload = '', sealed = ''] = signature.slice(mark.length).split('.');
  if (seal(payload) !== sealed) return 'damaged';
  const claim = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as ThinkingClaim;
  return { ...claim, id: sealed };
}

/** Whether the text of a block is the one that was signed. */
export function isShown(claim: ThinkingClaim, block: ThinkingBlock): boolean {
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

/** Fingerprints of the prompt before a thinking block, which the block is bound to. */
export interface Prefix {
  system: string;
  tools: string;
  messages: string;
}

const fingerprintBytes = 9;

/** Fields that clients may add or leave out without a change of meaning. */
const harmless: Readonly<Record<string, (value: unknown) => boolean>> = {
  cache_control: () => true,
  citations: (value) => value === null || isEmptyList(value) || isOff(value),
  caller: (value) => isPlainObject(value) && value['type'] === 'direct',
  is_error: (value) => value === false,
  title: (value) => value === null,
  context: (value) => value === null,
  transformations: (value) => value === null,
  toolset_name: (value) => value === null,
};

/**
 * Computes the fingerprints of a conversation, block by block. Thinking, cache marks and the borders
 * between adjacent messages of one role are left out; all else counts, as it was sent.
 */
export class PrefixBuilder {
  readonly #system: string;
  readonly #tools: string;
  #messages = '';
  #role: RequestMessage['role'] | undefined;

  constructor(request: Pick<MessagesRequest, 'system' | 'tools'>) {
    const { system = [], tools = [] } = request;
    const blocks = typeof system === 'string' ? textBlocks(system) : system;
    this.#system = fingerprint(blocks.map((block) => canonical(block)));
    // A deferred tool is not in the prompt.
    const shown = tools.filter((tool) => tool.defer_loading !== true);
    this.#tools = fingerprint(shown.map((tool) => canonical(tool)));
  }

  add(role: RequestMessage['role'], block: RequestBlock): void {
    if (isThinkingBlock(block)) return;
    const border = role === this.#role ? '' : role;
    this.#role = role;
    this.#messages = fingerprint([this.#messages, border, canonical(block)]);
  }

  addMessage(message: RequestMessage): void {
    for (const block of blocksOf(message)) this.add(message.role, block);
  }

  /** The prefix after all that was added so far. */
  get prefix(): Prefix {
    return { system: this.#system, tools: this.#tools, messages: this.#messages };
  }
}

function textBlocks(text: string): object[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

function canonical(holder: object): string {
  return JSON.stringify(holder, function (this: unknown, key: string, value: unknown) {
    // A field of the block itself: inputs and schemas may have keys of the same names.
    if (this === holder && harmless[key]?.(value) === true) return undefined;
    if (this === holder && key === 'content') return canonicalContent(value);
    return value;
  });
}

function canonicalContent(content: unknown): unknown {
  const blocks = typeof content === 'string' ? textBlocks(content) : content;
  if (!Array.isArray(blocks)) return blocks;
  return blocks.map((block: unknown) => (isPlainObject(block) ? canonical(block) : block));
}

function fingerprint(parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest().subarray(0, fingerprintBytes).toString('base64url');
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isOff(value: unknown): boolean {
  return isPlainObject(value) && value['enabled'] !== true;
}
