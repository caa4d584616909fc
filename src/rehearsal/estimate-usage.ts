import { isPlainObject } from '../platform/json.js';
import type { ReplyBlock } from './reply-plan.js';
import type { MessagesRequest } from './request-types.js';

const charactersPerToken = 4;
/** What a base64 payload counts as, whatever its size: about 1500 tokens, as a large image does. */
const payloadCharacters = 6_000;
/** Values that are wire grammar, not content. */
const grammar = new Set(['type', 'role', 'id', 'tool_use_id', 'media_type', 'signature']);

/** Input tokens: the characters of system, tools and messages (values, not keys), over four. */
export function estimateInputTokens(request: MessagesRequest): number {
  const { system, tools, messages } = request;
  return Math.ceil(characters([system, tools, messages]) / charactersPerToken);
}

function characters(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + characters(item), 0);
  if (!isPlainObject(value)) return 0;
  if (value['type'] === 'base64') return payloadCharacters;
  return Object.entries(value).reduce(
    (sum, [key, item]) => sum + (grammar.has(key) ? 0 : characters(item)),
    0,
  );
}

/** Output tokens: one for each delta of text, thinking or tool input. */
export function countOutputTokens(blocks: readonly ReplyBlock[]): number {
  return blocks.reduce((sum, block) => sum + block.deltas.length, 0);
}
