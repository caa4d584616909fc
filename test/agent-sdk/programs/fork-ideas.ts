import { query } from '@anthropic-ai/claude-agent-sdk';

async function ask(prompt: string, resume?: string): Promise<{ id: string; text: string }> {
  let answer = { id: '', text: '' };
  for await (const { type, session_id = '', result = '' } of query({
    prompt,
    options: { tools: [], ...(resume === undefined ? {} : { resume, forkSession: true }) },
  })) {
    if (type === 'result') answer = { id: session_id, text: result };
  }
  return answer;
}

const base = await ask('We name a ship.');
const ideas = [await ask('A short name.', base.id), await ask('A long name.', base.id)];
console.log(ideas.map(({ text }) => text).join(' or '));
console.log(new Set([base.id, ...ideas.map(({ id }) => id)]).size);
