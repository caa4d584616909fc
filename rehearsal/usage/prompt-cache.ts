import type Anthropic from '@anthropic-ai/sdk';
import { createHash } from 'node:crypto';
import type { ModelProfile } from '../models/profiles.js';
import type { MessagesRequest } from '../request-types.js';
import type { PromptItem } from './prompt-items.js';

/** The tokens of a prompt by their price; the four add up to the prompt. */
export interface PromptUsage {
  /** Tokens that are neither read from the cache nor written to it. */
  input: number;
  cacheRead: number;
  write5m: number;
  write1h: number;
}

interface Entry {
  expiresAt: number;
  ttlMs: number;
}

const ttlMs = { '5m': 5 * 60_000, '1h': 60 * 60_000 } as const;
/** Blocks, up to a mark, at which an entry is looked for. */
const lookBack = 20;
/** Entries above which expired ones are deleted. */
const sweepAt = 10_000;

/**
 * The prompt cache as the API describes it: each mark makes an entry of the prompt before it, and an
 * entry is looked for at each mark and up to twenty blocks before.
 */
export class PromptCache {
  readonly #entries = new Map<string, Entry>();
  readonly #now: () => number;

  /** @param now milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Reads the longest entry of a prompt, and writes the entries of its marks. */
  use(items: readonly PromptItem[], profile: ModelProfile): PromptUsage {
    const total = totalOf(items, profile);
    const marks = items.flatMap(({ ttl }, index) => (ttl === undefined ? [] : [{ index, ttl }]));
    if (marks.length === 0) return { input: total, cacheRead: 0, write5m: 0, write1h: 0 };
    const { keys, ends } = chain(items, profile);
    const usable = marks.filter(({ index }) => (ends[index] ?? 0) >= profile.cacheMinimum);
    const read = this.#longest(usable, keys);
    const usage: PromptUsage = { input: 0, cacheRead: ends[read] ?? 0, write5m: 0, write1h: 0 };
    let written = usage.cacheRead;
    for (const { index, ttl } of usable) {
      this.#write(keys[index] ?? '', ttlMs[ttl]);
      if (index <= read) continue;
      const end = ends[index] ?? 0;
      if (ttl === '1h') usage.write1h += end - written;
      else usage.write5m += end - written;
      written = end;
    }
    usage.input = total - written;
    return usage;
  }

  /** The index of the last item of the longest entry; -1: no entry. */
  #longest(marks: readonly { index: number }[], keys: readonly string[]): number {
    const now = this.#now();
    for (const { index } of marks.toReversed()) {
      for (let at = index; at > index - lookBack && at >= 0; at -= 1) {
        const entry = this.#entries.get(keys[at] ?? '');
        if (entry === undefined || entry.expiresAt <= now) continue;
        entry.expiresAt = now + entry.ttlMs;
        return at;
      }
    }
    return -1;
  }

  #write(key: string, forMs: number): void {
    const now = this.#now();
    if (this.#entries.size >= sweepAt) {
      for (const [old, { expiresAt }] of this.#entries) {
        if (expiresAt <= now) this.#entries.delete(old);
      }
    }
    const before = this.#entries.get(key);
    const longest = before && before.expiresAt > now ? Math.max(before.ttlMs, forMs) : forMs;
    this.#entries.set(key, { expiresAt: now + longest, ttlMs: longest });
  }
}

/** All tokens of a prompt by the model's tokenizer. */
export function totalOf(items: readonly PromptItem[], { tokenFactor }: ModelProfile): number {
  const texts = items.reduce((sum, { tokens }) => sum + tokens, 0);
  return Math.ceil(texts * tokenFactor) + items.reduce((sum, item) => sum + item.imageTokens, 0);
}

/** The key and the tokens of the prompt up to the end of each item. */
function chain(
  items: readonly PromptItem[],
  profile: ModelProfile,
): { keys: string[]; ends: number[] } {
  const keys: string[] = [];
  const ends: number[] = [];
  let key = profile.id;
  let tokens = 0;
  let imageTokens = 0;
  for (const item of items) {
    key = createHash('sha256').update(key).update(item.text).digest('base64');
    tokens += item.tokens;
    imageTokens += item.imageTokens;
    keys.push(key);
    ends.push(Math.ceil(tokens * profile.tokenFactor) + imageTokens);
  }
  return { keys, ends };
}

/** How a request is served: as it asks. Priority is sold no more, so that the tier is standard. */
export type Served = Pick<MessagesRequest, 'speed' | 'inference_geo'>;

/** The output tokens of a reply; `thinking` is part of `tokens`. */
export interface OutputUsage {
  tokens: number;
  thinking: number;
  searches: number;
}

/** The cumulative usage at the end of a stream. */
export function deltaUsage(prompt: PromptUsage, { tokens, thinking, searches }: OutputUsage) {
  return {
    input_tokens: prompt.input,
    cache_creation_input_tokens: prompt.write5m + prompt.write1h,
    cache_read_input_tokens: prompt.cacheRead,
    output_tokens: tokens,
    output_tokens_details: thinking === 0 ? null : { thinking_tokens: thinking },
    server_tool_use:
      searches === 0 ? null : { web_search_requests: searches, web_fetch_requests: 0 },
  } satisfies Anthropic.MessageDeltaUsage;
}

/** The usage of a message. */
export function messageUsage(
  prompt: PromptUsage,
  output: OutputUsage,
  { speed = null, inference_geo = null }: Served = {},
): Anthropic.Usage {
  return {
    ...deltaUsage(prompt, output),
    cache_creation: {
      ephemeral_5m_input_tokens: prompt.write5m,
      ephemeral_1h_input_tokens: prompt.write1h,
    },
    inference_geo,
    service_tier: 'standard',
    speed,
  };
}
