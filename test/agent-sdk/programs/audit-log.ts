import { appendFileSync, readFileSync } from 'node:fs';
import { query, type HookCallback } from '@anthropic-ai/claude-agent-sdk';

const log: HookCallback = async ({ hook_event_name, tool_name }) => {
  appendFileSync('audit.log', `${hook_event_name} ${tool_name ?? '-'}\n`);
  return {};
};

for await (const _message of query({
  prompt: 'Look at the file, then change it.',
  options: {
    tools: ['Read', 'Write'],
    permissionMode: 'acceptEdits',
    settingSources: [],
    hooks: {
      UserPromptSubmit: [{ hooks: [log] }],
      PreToolUse: [{ hooks: [log] }],
      PostToolUse: [{ matcher: 'Write|Edit', hooks: [log] }],
      Stop: [{ hooks: [log] }],
    },
  },
})) {
  // Only the log counts.
}

console.log(readFileSync('audit.log', 'utf8').trim());
