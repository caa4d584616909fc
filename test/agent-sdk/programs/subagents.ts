import { query } from '@anthropic-ai/claude-agent-sdk';

for await (const message of query({
  prompt: 'Have the reader look into notes.txt.',
  options: {
    tools: ['Agent', 'Read'],
    settingSources: [],
    agents: {
      reader: { description: 'Reads files.', prompt: 'You read files.', tools: ['Read'] },
    },
  },
})) {
  const who = typeof message.parent_tool_use_id === 'string' ? 'reader' : 'main';
  if (message.type === 'assistant' && Array.isArray(message.message?.content)) {
    for (const { type, name } of message.message.content) {
      if (type === 'tool_use') console.log(`${who} calls ${name}`);
    }
  }
  if (message.type === 'result') console.log(message.result);
}
