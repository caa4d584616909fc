import { query, type CanUseTool } from '@anthropic-ai/claude-agent-sdk';

const decide: CanUseTool = async (name, input) => {
  const dangerous = name === 'Bash' && /\brm\b/.test(String(input['command']));
  console.log(`${name}: ${dangerous ? 'no' : 'yes'}`);
  return dangerous
    ? { behavior: 'deny', message: 'Nothing is deleted here.' }
    : { behavior: 'allow', updatedInput: input };
};

for await (const message of query({
  prompt: 'Tidy up.',
  options: {
    tools: ['Bash', 'Write'],
    permissionMode: 'default',
    settingSources: [],
    canUseTool: decide,
  },
})) {
  if (message.type === 'user' && Array.isArray(message.message?.content)) {
    for (const { is_error } of message.message.content) console.log(is_error ? 'refused' : 'done');
  }
  if (message.type === 'result') {
    console.log(message.permission_denials?.map(({ tool_name }) => tool_name).join());
  }
}
