import type Anthropic from '@anthropic-ai/sdk';

type Message = Anthropic.MessageParam | Anthropic.SystemMessageParam;

/** Marks of messages: of the four a request may have, the system prompt takes one. */
const MOST = 3;

/**
 * Messages with marks for the provider's cache: at their end, which is what the next call reads, and
 * where earlier calls ended, which is before each reply. Without these a step of more blocks than the
 * cache looks back over would read nothing of what the call before it wrote. Pure.
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
