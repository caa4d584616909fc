import { randomUUID } from 'node:crypto';
import { HttpAgent } from '@ag-ui/client';
import type { Message } from '@ag-ui/core';
import { expect, it } from '@jest/globals';
import { HeadlessChat } from '../../support/clients/headless-chat.js';
import { useServer } from '../../support/processes/start-server.js';

const message = '[[tool=pick_color {"of":"sky"}]]';
const schema = { type: 'object', properties: { of: { type: 'string' } } };
const tool = { name: 'pick_color', description: 'Asks the user for a color.' };

/** What a client has of a call that was decided before its output came. */
const declined = 'not run: the client declined the call.';

const server = useServer();

/** Decides what the only open question asks, in the client's place. */
async function denyElsewhere(): Promise<void> {
  const { body } = await server.client.get('/api/harness/approvals');
  const [question] = body['approvals'] as { approvalId: string }[];
  const route = `/api/harness/approvals/${question?.approvalId ?? ''}`;
  expect((await server.client.post(route, { decision: 'deny' })).status).toBe(200);
}

it('the AI SDK wire streams how the turn went on where an output comes too late', async () => {
  const chat = new HeadlessChat({
    url: server.url,
    id: randomUUID(),
    isManual: true,
    body: { projectRoot: server.projectRoot, clientTools: [{ ...tool, inputSchema: schema }] },
  });
  await chat.sendMessage({ text: message });
  const [call] = chat.partsOf('tool-pick_color');
  await denyElsewhere();
  const toolCallId = String(call?.['toolCallId']);
  await chat.addToolOutput({ tool: 'pick_color', toolCallId, output: 'red' });
  await chat.sendMessage();
  expect([chat.error, chat.metadata['outcome']]).toEqual([undefined, 'completed']);
  expect(chat.partsOf('tool-pick_color')).toMatchObject([
    { state: 'output-error', errorText: declined },
  ]);
});

/** A thread whose agent waits for the output of a call. */
async function waitingThread() {
  const agent = new HttpAgent({ url: `${server.url}/agent/WORKING_ITEMS/ag-ui` });
  const forwardedProps = { turnpike: { projectRoot: server.projectRoot } };
  const run = () => agent.runAgent({ forwardedProps, tools: [{ ...tool, parameters: schema }] });
  agent.addMessage({ id: 'u1', role: 'user', content: message });
  await run();
  const toolCallId = agent.messages.flatMap(callsOf)[0] ?? '';
  const give = (id: string, content: string): void =>
    agent.addMessage({ id, role: 'tool', toolCallId, content });
  return { agent, run, toolCallId, give };
}

it('the AG-UI wire streams how the turn went on where an output comes too late', async () => {
  const { agent, run, toolCallId, give } = await waitingThread();
  await denyElsewhere();
  give('answer', 'red');
  await run();
  expect(agent.state).toMatchObject({ turnpike: { status: 'completed' } });
  const results = agent.messages.filter(({ role }) => role === 'tool');
  expect(results.at(-1)).toMatchObject({ toolCallId, content: declined });
});

it('the AG-UI wire takes the last of two outputs of a call', async () => {
  const { agent, run, give } = await waitingThread();
  give('first', 'crimson');
  give('second', 'emerald');
  await run();
  expect(agent.state).toMatchObject({ turnpike: { status: 'completed' } });
  const sent = JSON.stringify(server.modelRequests.at(-1)?.body.messages);
  expect([sent.includes('emerald'), sent.includes('crimson')]).toEqual([true, false]);
});

function callsOf(one: Message): string[] {
  return one.role === 'assistant' ? (one.toolCalls ?? []).map(({ id }) => id) : [];
}
