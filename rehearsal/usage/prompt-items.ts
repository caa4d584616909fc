import { isPlainObject } from '../json.js';
import type { ModelProfile } from '../models/profiles.js';
import {
  blocksOf,
  citesDocuments,
  isThinkingBlock,
  referencesIn,
  ttlOf,
  type Cached,
  type TextBlock,
  type MessagesRequest,
  type RequestBlock,
} from '../request-types.js';
import { imageTokens, pagesOf, type ImageLimits } from '../media/files.js';
import { thinkingOf } from '../thinking/check-thinking.js';

/** An item of a prompt: a tool, or a block of the system prompt or a message. */
export interface PromptItem {
  /** The text that the cache compares: the item and the parameters that change its part of the prompt. */
  text: string;
  /** Tokens of its texts by the tokenizer, without the model's factor. */
  tokens: number;
  /** Tokens of its images, to which the factor does not apply. */
  imageTokens: number;
  /** The TTL of the mark on the item; undefined: no mark. */
  ttl: '5m' | '1h' | undefined;
}

/** Fields of the wire that are not content. */
const grammar = new Set(['type', 'id', 'tool_use_id', 'media_type', 'signature', 'cache_control']);
const tokensPerPage = 2_000;

/** The items of a request in the order of the prompt: tools, system, messages. */
export function promptItems(
  body: MessagesRequest,
  profile: ModelProfile,
  count: CountText,
): PromptItem[] {
  const { tools = [], system = [], messages } = body;
  const counted = { count, limits: profile.imageLimits };
  const items: PromptItem[] = [];
  const add = (value: object & Cached, parameters = ''): PromptItem => {
    const text = parameters + JSON.stringify(value, withoutMark);
    const item = { text, tokens: 0, imageTokens: 0, ttl: ttlOf(value.cache_control) };
    addTokens(item, value, counted);
    items.push(item);
    return item;
  };
  for (const tool of tools) if (tool.defer_loading !== true) add(tool);
  const ofSystem = systemParameters(body);
  const systemBlocks: TextBlock[] =
    typeof system === 'string' ? [{ type: 'text', text: system }] : system;
  for (const block of systemBlocks) if (block.text !== '') add(block, ofSystem);
  const ofMessages = ofSystem + messageParameters(body, profile);
  for (const message of messages) {
    for (const block of blocksOf(message)) {
      const item = add(block, `${ofMessages}${message.role}`);
      item.ttl ??= innerMark(block);
      // A tool that was found is in the prompt from there on.
      for (const { tool_name: name } of referencesIn(block)) {
        const tool = tools.find((one) => one.name === name && one.defer_loading === true);
        if (tool) addTokens(item, tool, counted);
      }
    }
  }
  markLast(items, body);
  return items;
}

/** Applies the mark at the top of a request to its last block. */
function markLast(
  items: readonly PromptItem[],
  { cache_control, messages }: MessagesRequest,
): void {
  const ttl = ttlOf(cache_control);
  if (ttl === undefined) return;
  const blocks = messages.flatMap(blocksOf);
  const fromEnd = blocks.length - blocks.findLastIndex((block) => !isThinkingBlock(block));
  const item = items[items.length - fromEnd];
  if (item) item.ttl ??= ttl;
}

function innerMark(block: RequestBlock): '5m' | '1h' | undefined {
  if (block.type !== 'tool_result' || !Array.isArray(block.content)) return undefined;
  const marked = block.content.findLast(
    (item) => !isThinkingBlock(item) && ttlOf(item.cache_control) !== undefined,
  );
  return marked && !isThinkingBlock(marked) ? ttlOf(marked.cache_control) : undefined;
}

/** Parameters whose change is a change of the system prompt and all after it. */
function systemParameters(body: MessagesRequest): string {
  // The API explains the format to the model in a system prompt of its own.
  const format = body.output_config?.format ?? null;
  return `${citesDocuments(body)}|${body.speed ?? 'standard'}|${format === null ? '' : JSON.stringify(format)}|`;
}

/** Parameters whose change is a change of the messages. A default counts as given. */
function messageParameters(body: MessagesRequest, profile: ModelProfile): string {
  const { thinking, tool_choice: choice = { type: 'auto' as const } } = body;
  const budget = thinking?.type === 'enabled' ? thinking.budget_tokens : 0;
  const effort = body.output_config?.effort ?? profile.defaultEffort;
  const images = body.messages
    .flatMap(blocksOf)
    .some((block) => block.type === 'image' || hasImage(block));
  const { kind } = thinkingOf(body, profile);
  return `${kind}|${budget}|${effort}|${images}|${JSON.stringify(choice)}|`;
}

function hasImage(block: RequestBlock): boolean {
  return (
    block.type === 'tool_result' &&
    Array.isArray(block.content) &&
    block.content.some((item) => item.type === 'image')
  );
}

function withoutMark(key: string, value: unknown): unknown {
  return key === 'cache_control' ? undefined : value;
}

interface Counted {
  count: CountText;
  limits: ImageLimits;
}

/** Adds the tokens of a part of the prompt to its item. */
function addTokens(item: PromptItem, value: unknown, counted: Counted): void {
  if (typeof value === 'string') item.tokens += counted.count(value);
  else if (typeof value === 'number' || typeof value === 'boolean') item.tokens += 1;
  else if (Array.isArray(value)) for (const one of value) addTokens(item, one, counted);
  else if (!isPlainObject(value)) return;
  else if (value['type'] === 'base64') {
    const data = String(value['data']);
    if (value['media_type'] === 'application/pdf') item.tokens += pagesOf(data) * tokensPerPage;
    else item.imageTokens += imageTokens(data, counted.limits);
  } else {
    for (const [key, part] of Object.entries(value)) {
      if (grammar.has(key)) continue;
      // Schemas and inputs are JSON in the prompt, keys included.
      const isJson = (key === 'input_schema' || key === 'input') && isPlainObject(part);
      addTokens(item, isJson ? JSON.stringify(part) : part, counted);
    }
  }
}

/** Counts the tokens of a text as models before 4.7 do. */
export type CountText = (text: string) => number;

/** Longest run of characters that the tokenizer is given: its time is the square of the length. */
const longRun = 128;
const longWord = new RegExp(`\\S{${longRun}}(?=\\S)`, 'gu');
const longGap = new RegExp(`\\s{${longRun}}(?=\\s)`, 'gu');

/** Most characters of texts with a cached count: every step counts the prompt again. */
const MAX_KEPT_CHARS = 32_000_000;

let loading: Promise<CountText> | undefined;

/**
 * Loads the tokenizer of `@anthropic-ai/tokenizer` at its first use: it is six megabytes of
 * WebAssembly, and a server with a key never needs it.
 */
export function loadTokenizer(): Promise<CountText> {
  loading ??= import('@anthropic-ai/tokenizer').then(({ getTokenizer }) => {
    const tokenizer = getTokenizer();
    return cacheCounts((text) => tokenizer.encode(breakRuns(text.normalize('NFKC')), 'all').length);
  });
  return loading;
}

/** Breaks long words and long runs of blanks, which hardly changes the count. */
function breakRuns(text: string): string {
  return text.replace(longWord, '$& ').replace(longGap, '$&.');
}

/** A counter that caches the counts of the latest texts. */
export function cacheCounts(count: CountText): CountText {
  const counts = new Map<string, number>();
  let kept = 0;
  return (text) => {
    const known = counts.get(text);
    if (known !== undefined) return known;
    const tokens = count(text);
    if (kept + text.length > MAX_KEPT_CHARS) {
      counts.clear();
      kept = 0;
    }
    counts.set(text, tokens);
    kept += text.length;
    return tokens;
  };
}
