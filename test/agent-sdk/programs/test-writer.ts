import { existsSync, readFileSync } from 'node:fs';
import { query } from '@anthropic-ai/claude-agent-sdk';

const written = new Set<string>();

for await (const message of query({
  prompt: 'Write a test for add.js.',
  options: { tools: ['Read', 'Write'], permissionMode: 'acceptEdits', settingSources: [] },
})) {
  if (message.type !== 'assistant' || typeof message.message?.content === 'string') continue;
  for (const { type, name, input } of message.message?.content ?? []) {
    if (type === 'tool_use' && name === 'Write') written.add(String(input?.['file_path']));
  }
}

for (const file of written) {
  if (existsSync(file)) console.log(file.split('/').at(-1), readFileSync(file, 'utf8').trim());
}
