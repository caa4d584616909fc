import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { query } from '@anthropic-ai/claude-agent-sdk';

const memory = 'session.txt';

/** One run of the program, as after a restart: all it knows is in a file. */
async function run(prompt: string): Promise<void> {
  const known = existsSync(memory) ? readFileSync(memory, 'utf8') : undefined;
  console.log(known === undefined ? 'a new session' : 'the session of before');
  for await (const message of query({
    prompt,
    options: { tools: [], ...(known === undefined ? {} : { resume: known }) },
  })) {
    if (message.type !== 'result') continue;
    writeFileSync(memory, message.session_id ?? '');
    console.log(message.result);
  }
}

await run('Remember 42.');
await run('Which number?');
