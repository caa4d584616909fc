import { query } from '@anthropic-ai/claude-agent-sdk';

let session: string | undefined;

async function ask(prompt: string): Promise<string> {
  let answer = '';
  const options = session === undefined ? { tools: [] } : { tools: [], resume: session };
  for await (const message of query({ prompt, options })) {
    if (message.type === 'system' && message.subtype === 'init') session = message.session_id;
    if (message.type === 'result') answer = message.result ?? '';
  }
  return answer;
}

for (const line of ['My name is Ada.', 'What is my name?', 'bye']) {
  if (line === 'bye') break;
  console.log(`> ${line}`);
  console.log(await ask(line));
}
