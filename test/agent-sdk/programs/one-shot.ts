import { query } from '@anthropic-ai/claude-agent-sdk';

for await (const message of query({ prompt: 'What is two and two?', options: { tools: [] } })) {
  if (message.type === 'result') console.log(message.result);
}
