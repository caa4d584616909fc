import type { TurnpikeClient } from '../client/turnpike-client.js';
import type { SDKUserMessage, UserBlock } from './sdk-messages.js';
import { UnsupportedError } from './sdk-errors.js';

/** A message for a turn. */
export interface PromptMessage {
  text: string;
  /** Ids of uploaded files. */
  files: string[];
}

/**
 * The messages of a prompt, as they come; stops when the signal aborts, also while the next one is awaited.
 *
 * @throws the signal's reason; UnsupportedError for a message with the result of a tool.
 */
export async function* readPrompt(
  prompt: string | AsyncIterable<SDKUserMessage>,
  { client, signal }: { client: TurnpikeClient; signal: AbortSignal },
): AsyncGenerator<PromptMessage, void, undefined> {
  if (typeof prompt === 'string') {
    yield { text: prompt, files: [] };
    return;
  }
  const messages = prompt[Symbol.asyncIterator]();
  const aborted = rejectOn(signal);
  try {
    while (true) {
      const next = await Promise.race([messages.next(), aborted.rejected]);
      if (next.done === true) return;
      yield await toMessage(client, next.value);
    }
  } finally {
    aborted.end();
    // What awaits its next message in there is not awaited here.
    if (!signal.aborted) await messages.return?.(undefined);
  }
}

/** A promise that rejects with the signal's reason. @returns it, with what takes its listener away. */
export function rejectOn(signal: AbortSignal): { rejected: Promise<never>; end(): void } {
  let listener = (): void => undefined;
  const rejected = new Promise<never>((_resolve, reject) => {
    listener = () => reject(signal.reason);
    if (signal.aborted) listener();
    signal.addEventListener('abort', listener);
  });
  // Where nobody waits for it any more, an abort is no fault.
  rejected.catch(() => undefined);
  return { rejected, end: () => signal.removeEventListener('abort', listener) };
}

async function toMessage(
  client: TurnpikeClient,
  { message: { content } }: SDKUserMessage,
): Promise<PromptMessage> {
  if (typeof content === 'string') return { text: content, files: [] };
  const texts: string[] = [];
  const files: string[] = [];
  for (const block of content) {
    if (block.type === 'tool_result') {
      throw new UnsupportedError(
        'A tool_result in a message of the user',
        'the server runs the tools; a tool of your own is one of createSdkMcpServer',
      );
    }
    if (block.type === 'text') texts.push(block.text);
    else files.push(await upload(client, block, files.length + 1));
  }
  return { text: texts.join('\n\n'), files };
}

async function upload(
  client: TurnpikeClient,
  { source }: Exclude<UserBlock, { type: 'text' }>,
  number: number,
): Promise<string> {
  const { media_type: type, data } = source;
  const [, extension = 'bin'] = /\/([a-z0-9]+)/i.exec(type) ?? [];
  const file = new File([Buffer.from(data, 'base64')], `file-${number}.${extension}`, { type });
  return (await client.uploads.send(file)).id;
}
