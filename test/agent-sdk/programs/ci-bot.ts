import { query, type SDKMessage } from '@anthropic-ai/claude-agent-sdk';

let last: SDKMessage | undefined;
try {
  for await (const message of query({
    prompt: 'Fix the build.',
    options: {
      tools: ['Read', 'Edit'],
      allowedTools: ['Edit'],
      permissionMode: 'dontAsk',
      settingSources: [],
      maxTurns: 2,
    },
  })) {
    if (message.type === 'result') last = message;
  }
} catch {
  // The result has said why.
}
const passed = last?.subtype === 'success' && last.is_error !== true;
console.log(JSON.stringify({ passed, why: last?.subtype, turns: last?.num_turns }));
