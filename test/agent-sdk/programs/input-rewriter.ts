import { readdirSync } from 'node:fs';
import path from 'node:path';
import { query } from '@anthropic-ai/claude-agent-sdk';

for await (const message of query({
  prompt: 'Write a.txt.',
  options: {
    tools: ['Write'],
    permissionMode: 'default',
    settingSources: [],
    // Whatever the model writes goes into one folder.
    canUseTool: async (_name, input) => ({
      behavior: 'allow',
      updatedInput: {
        ...input,
        file_path: path.join(process.cwd(), 'out', path.basename(String(input['file_path']))),
      },
    }),
  },
})) {
  if (message.type === 'result') console.log(message.result);
}
console.log(readdirSync('.').sort().join(), readdirSync('out').join());
