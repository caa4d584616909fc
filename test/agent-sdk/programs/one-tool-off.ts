import { query } from '@anthropic-ai/claude-agent-sdk';

for await (const message of query({
  prompt: 'Delete the cache.',
  options: {
    tools: ['Bash', 'Read'],
    disallowedTools: ['Bash'],
    settingSources: [],
  },
})) {
  if (message.type === 'system' && message.subtype === 'init') {
    console.log(message.tools?.includes('Bash'));
  }
  if (message.type === 'user' && Array.isArray(message.message?.content)) {
    for (const { is_error } of message.message.content) console.log(is_error);
  }
  if (message.type === 'result') console.log(message.result, message.permission_denials?.length);
}
