import { query } from '@anthropic-ai/claude-agent-sdk';

const pieces: string[] = [];
let whole = '';
for await (const message of query({
  prompt: 'Say hello.',
  options: { tools: [], includePartialMessages: true },
})) {
  const delta = message.type === 'stream_event' ? message.event?.delta : undefined;
  if (delta?.type === 'text_delta') pieces.push(delta.text ?? '');
  if (message.type === 'result') whole = message.result ?? '';
}
console.log(pieces.join('|'));
console.log(pieces.join('') === whole);
