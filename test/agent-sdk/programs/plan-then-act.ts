import { existsSync } from 'node:fs';
import { query } from '@anthropic-ai/claude-agent-sdk';

async function run(prompt: string, permissionMode: string, resume?: string): Promise<string> {
  let session = '';
  for await (const message of query({
    prompt,
    options: {
      tools: ['Read', 'Write'],
      settingSources: [],
      permissionMode,
      ...(resume === undefined ? {} : { resume }),
    },
  })) {
    if (message.type !== 'result') continue;
    session = message.session_id ?? '';
    console.log(`${permissionMode}: ${message.result ?? ''}`);
  }
  console.log(`made: ${existsSync('made.txt')}`);
  return session;
}

const session = await run('Plan how to make made.txt.', 'plan');
await run('Do it.', 'acceptEdits', session);
