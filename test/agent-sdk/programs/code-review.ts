import { query } from '@anthropic-ai/claude-agent-sdk';

const looked: unknown[] = [];
let report = '';

for await (const message of query({
  prompt: 'Review src for bugs. Say one finding a line.',
  options: {
    systemPrompt: 'You review code. You never change it.',
    tools: ['Read', 'Glob', 'Grep'],
    settingSources: [],
    permissionMode: 'default',
  },
})) {
  if (message.type === 'assistant' && Array.isArray(message.message?.content)) {
    for (const block of message.message.content) {
      if (block.type === 'tool_use') looked.push(block.name);
      if (block.type === 'text') report = block.text ?? '';
    }
  }
}

console.log(`used ${looked.join(', ')}`);
for (const [index, line] of report.split('\n').entries()) console.log(`${index + 1}. ${line}`);
