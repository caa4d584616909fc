import { query, type HookCallback } from '@anthropic-ai/claude-agent-sdk';

const guard: HookCallback = async ({ tool_input }) => {
  const file = String(tool_input?.['file_path']);
  if (!file.endsWith('.env')) return {};
  console.log('kept .env');
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: 'Secrets are not read.',
    },
  };
};

for await (const message of query({
  prompt: 'Read .env and notes.txt.',
  options: {
    tools: ['Read'],
    settingSources: [],
    hooks: { PreToolUse: [{ matcher: 'Read', hooks: [guard] }] },
  },
})) {
  if (message.type !== 'user' || !Array.isArray(message.message?.content)) continue;
  console.log(JSON.stringify(message.message.content).includes('TOKEN'));
}
