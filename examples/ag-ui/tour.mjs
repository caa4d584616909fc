/** A tour of AG-UI with the protocol's own client: see README.md beside this file. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { HttpAgent } from '@ag-ui/client';

const url = process.env.TURNPIKE_URL ?? 'http://127.0.0.1:4400';
const key = process.env.TURNPIKE_API_KEY;
const projectRoot = await mkdtemp(path.join(tmpdir(), 'tour-'));
const threadId = randomUUID();

/** A tool that runs here, beside the agent's own. */
const tools = [
  {
    name: 'pick_colour',
    description: 'Lets the user pick a colour',
    parameters: { type: 'object', properties: { of: { type: 'string' } } },
  },
];

const agent = open();
try {
  await talk();
  await runOwnTool();
  await approve();
  await reload();
} finally {
  await rm(projectRoot, { recursive: true });
}

/** The thread as a page of its own has it. */
function open() {
  return new HttpAgent({
    url: `${url}/agent/WORKING_ITEMS/ag-ui`,
    threadId,
    headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
  });
}

/** `forwardedProps.turnpike` has the options of the turn, and the folder of a new thread. */
function run(more = {}) {
  const turnpike = { projectRoot, opts: { mode: 'direct' } };
  return agent.runAgent({ tools, forwardedProps: { turnpike }, ...more });
}

function say(content) {
  agent.addMessage({ id: randomUUID(), role: 'user', content });
  return run();
}

async function talk() {
  console.log('== A message');
  await say('Count. [[tokens=5]]');
  console.log(agent.messages.at(-1).content);
  const { status, usage } = agent.state.turnpike;
  console.log(`${status}, ${usage.outputTokens} tokens`);
}

/** The run ends where the agent calls a tool of ours; the next run brings the output. */
async function runOwnTool() {
  console.log('== A tool of the client');
  await say('Which colour? [[tool=pick_colour {"of":"car"}]] [[tokens=2]]');
  const call = agent.messages.flatMap(({ toolCalls = [] }) => toolCalls).at(-1);
  console.log(`${call.function.name} ${call.function.arguments}`);
  agent.addMessage({ id: randomUUID(), role: 'tool', toolCallId: call.id, content: 'red' });
  await run();
  console.log(agent.messages.at(-1).content);
}

/** A call that needs a person ends the run with an interrupt; the next run answers it. */
async function approve() {
  console.log('== A tool call that needs a person');
  await say('Make notes. [[tool=write {"file_path":"notes.txt","content":"Hello"}]]');
  const [{ id: interruptId, message }] = agent.pendingInterrupts;
  console.log(message);
  await run({ resume: [{ interruptId, status: 'resolved', payload: { approved: true } }] });
  console.log(agent.messages.findLast(({ role }) => role === 'tool').content);
}

/** A run that brings nothing reads the thread. */
async function reload() {
  console.log('== A page that is loaded anew');
  const page = open();
  await page.runAgent();
  console.log(`${page.messages.length} of ${agent.messages.length} messages`);
  console.log(page.state.turnpike.status);
}
