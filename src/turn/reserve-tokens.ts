import type { Usage } from '../events/turn-event.js';
import type { ModelMessage, ModelRequest } from '../provider/model-types.js';

/**
 * Bytes that are counted as one token of input, before the provider has said. Text has three or
 * four: what is reserved is rather too much than too little.
 */
const BYTES_PER_TOKEN = 2;

/** Tokens of an image at most, and bytes of a PDF's base64 that are counted as one token. */
const IMAGE_TOKENS = 1_600;
const PDF_BYTES_PER_TOKEN = 20;

/** How long the provider's cache keeps what was sent, in ms; each use starts it anew. */
const CACHE_MS = 5 * 60_000;

/** Less than this is no reply. */
const LEAST_REPLY = 16;

/** Tokens of a reply below which a call is not made. @param most it may have at all. */
export function leastReply(most: number): number {
  return Math.min(LEAST_REPLY, most);
}

/** The model call before. */
export interface LastCall {
  usage: Usage;
  /** Milliseconds since the epoch. */
  endedAt: number;
  /** Its reply, as it goes back. */
  reply: string;
  /** What the model has not seen: results and notices since. */
  added: readonly string[];
}

/**
 * Tokens a request's input will cost at most: what was sent before is known from the call before;
 * what is new is estimated.
 */
export function estimateInput(
  request: Pick<ModelRequest, 'system' | 'tools' | 'messages'>,
  last: LastCall | undefined,
  now: number,
): number {
  if (last === undefined) {
    return estimateText(request.system, JSON.stringify(request.tools)) + sum(request.messages);
  }
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = last.usage;
  const cached = cachedInput(last, now);
  const sent = inputTokens + cacheReadTokens + cacheWriteTokens;
  // What a reply cost to say is not what it costs to be read again, with the marks around it.
  const reply = Math.max(outputTokens, estimateText(last.reply));
  return sent - cached + reply + estimateText(...last.added);
}

/** Tokens of a request's input that the provider's cache gives back. */
export function cachedInput(last: LastCall | undefined, now: number): number {
  if (last === undefined || now - last.endedAt >= CACHE_MS) return 0;
  return last.usage.cacheReadTokens + last.usage.cacheWriteTokens;
}

/**
 * Most tokens the reply may have, so that the call stays inside the budget whatever the model does;
 * undefined when there is no room for a reply.
 */
export function reserveReply(room: {
  left: number;
  input: number;
  most: number;
}): number | undefined {
  const reply = Math.min(room.most, room.left - room.input);
  return reply < leastReply(room.most) ? undefined : reply;
}

function sum(messages: readonly ModelMessage[]): number {
  return messages.reduce((total, message) => total + estimateMessage(message), 0);
}

function estimateMessage(message: ModelMessage): number {
  if (message.role === 'system') return estimateText(message.text);
  return message.parts.reduce((total: number, part) => {
    if (part.type === 'image') return total + IMAGE_TOKENS;
    if (part.type === 'pdf') return total + Math.ceil(part.base64.length / PDF_BYTES_PER_TOKEN);
    return total + estimateText(JSON.stringify(part));
  }, 0);
}

function estimateText(...texts: string[]): number {
  return texts.reduce((sum, text) => sum + Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN), 0);
}
