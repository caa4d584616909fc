import { query, type SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';

async function* prompts(): AsyncGenerator<SDKUserMessage> {
  for (const content of ['Count to two.', 'Go on.']) {
    yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
  }
}

let results = 0;
const sessions = new Set<string>();
for await (const message of query({ prompt: prompts(), options: { tools: [] } })) {
  if (message.type !== 'result') continue;
  results += 1;
  sessions.add(message.session_id ?? '');
  console.log(`${results}: ${message.result ?? ''}`);
}
console.log(`${sessions.size} session`);
