import { query } from '@anthropic-ai/claude-agent-sdk';

let step = 0;
const open = new Set<string>();
for await (const message of query({
  prompt: 'Do it in steps.',
  options: {
    tools: ['Read', 'Write'],
    settingSources: [],
    allowedTools: ['Write', 'Read'],
    permissionMode: 'default',
  },
})) {
  const content = message.message?.content;
  if (!Array.isArray(content)) continue;
  for (const { type, id = '', name, tool_use_id = '' } of content) {
    if (type === 'tool_use') {
      open.add(id);
      console.log(`[${(step += 1)}] ${name}`);
    }
    if (type === 'tool_result') open.delete(tool_use_id);
  }
}
console.log(`${step} steps, ${open.size} open`);
