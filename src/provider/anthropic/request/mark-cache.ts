import type Anthropic from '@anthropic-ai/sdk';

type Message = Anthropic.MessageParam | Anthropic.SystemMessageParam;

/** Most marks on messages: a request may have four, and the system prompt has one. */
const MOST = 3;

/**
 * Adds marks for the provider's cache: at the end of the messages, for the next call, and before the
 * last replies, where earlier calls ended. Without these, a step of more blocks than the cache looks
 * back over would not read the entry that the call before it wrote. Pure.
 */
export function markCache(messages: readonly Message[]): Message[] {
  const ends = messages.flatMap((message, index) => {
    const next = messages[index + 1];
    const isEnd = message.role !== 'assistant' && (next === undefined || next.role === 'assistant');
    return isEnd ? [index] : [];
  });
  const marked = new Set(ends.slice(-MOST));
  return messages.map((message, index) => (marked.has(index) ? mark(message) : message));
}

function mark(message: Message): Message {
  if (typeof message.content === 'string') return message;
  const last = message.content.length - 1;
  const content = message.content.map((block, index) =>
    index === last ? { ...block, cache_control: { type: 'ephemeral' } } : block,
  );
  return { ...message, content } as Message;
}
