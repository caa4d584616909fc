import { query } from '@anthropic-ai/claude-agent-sdk';

const button = new AbortController();
let text = '';
try {
  for await (const message of query({
    prompt: 'Tell me a long story.',
    options: { tools: [], abortController: button, includePartialMessages: true },
  })) {
    if (message.type !== 'stream_event' || message.event?.delta?.type !== 'text_delta') continue;
    text += message.event.delta.text ?? '';
    button.abort();
  }
  console.log('it ended by itself');
} catch {
  console.log(`aborted after "${text}"`);
}
