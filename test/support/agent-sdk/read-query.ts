import type { SDKMessage, SDKResultMessage } from '../../../src/agent-sdk/connect.js';

/** All messages of a query. */
export async function collect(query: AsyncIterable<SDKMessage>): Promise<SDKMessage[]> {
  const messages: SDKMessage[] = [];
  for await (const message of query) messages.push(message);
  return messages;
}

/** Messages, and what the query threw after them; undefined: nothing. */
export async function collectThrown(
  query: AsyncIterable<SDKMessage>,
): Promise<{ messages: SDKMessage[]; thrown: unknown }> {
  const messages: SDKMessage[] = [];
  try {
    for await (const message of query) messages.push(message);
    return { messages, thrown: undefined };
  } catch (thrown) {
    return { messages, thrown };
  }
}

/** What each message is: its type, with its subtype, or the type of its block. */
export function kindsOf(messages: readonly SDKMessage[]): string[] {
  return messages.map((message) => {
    if (message.type === 'stream_event') return `stream_event/${message.event.type}`;
    if (message.type === 'assistant' || message.type === 'user') {
      return `${message.type}/${message.message.content[0].type}`;
    }
    return `${message.type}/${message.subtype}`;
  });
}

/** The results, of which a text has one. */
export function resultsOf(messages: readonly SDKMessage[]): SDKResultMessage[] {
  return messages.filter((message) => message.type === 'result');
}

/** The texts of results of tools. */
export function outputsOf(messages: readonly SDKMessage[]): string[] {
  return messages.flatMap((message) => {
    if (message.type !== 'user') return [];
    const [block] = message.message.content;
    return block.type === 'tool_result' ? [block.content] : [];
  });
}
