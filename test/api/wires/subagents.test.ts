import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { HttpAgent, type RunAgentParameters } from '@ag-ui/client';
import { expect, it } from '@jest/globals';
import { HeadlessChat } from '../../support/clients/headless-chat.js';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import { useServer } from '../../support/processes/start-server.js';

const subagentGovernance = { contextSealed: true, pipelineRunApproved: true, approvalRef: 'CHG-1' };
const opts = { mode: 'direct', subagentGovernance };

const TURNPIKE_INSTRUCTION_ROOT = instructionRootWith({
  LEAD: ['subagents: [WRITER]', 'AGENT_TYPE: 1', 'tools: [read, write]'],
  WRITER: ['AGENT_TYPE: 2', 'AGENT_CLASS: TASK', 'tools: [read, write]'],
});
const server = useServer(async () => {
  const TURNPIKE_ENABLE_SUBAGENTS = 'true';
  return {
    environment: { TURNPIKE_INSTRUCTION_ROOT, TURNPIKE_ENABLE_SUBAGENTS },
  };
});

const write = (file: string): string =>
  `[[tool=write ${JSON.stringify({ file_path: file, content: 'x' })}]]`;
const task = (prompt: string): string =>
  `[[tool=task ${JSON.stringify({ agent: 'WRITER', prompt })}]]`;
const namesOf = (wire: string): string[] => ['1', '2', '3'].map((n) => `${wire}-${n}.txt`);

/** Both subagents ask, and then the turn itself. */
const messageFor = ([one = '', two = '', three = '']: readonly string[]): string =>
  `${task(write(one))} ${task(write(two))} ${write(three)}`;

const written = (names: readonly string[]): boolean[] =>
  names.map((name) => existsSync(path.join(server.projectRoot, name)));

it('AG-UI asks for subagents, and then for the turn they work for', async () => {
  const names = namesOf('ag-ui');
  const agent = new HttpAgent({ url: `${server.url}/agent/LEAD/ag-ui` });
  const forwardedProps = { turnpike: { projectRoot: server.projectRoot, opts } };
  const run = (more: RunAgentParameters = {}) => agent.runAgent({ forwardedProps, ...more });
  agent.addMessage({ id: 'u1', role: 'user', content: messageFor(names) });
  await run();
  const counts: number[] = [];
  while (agent.pendingInterrupts.length > 0) {
    const asked = agent.pendingInterrupts;
    counts.push(asked.length);
    await run({
      resume: asked.map(({ id: interruptId }) => ({
        interruptId,
        status: 'resolved',
        payload: { approved: true },
      })),
    });
  }
  expect([counts, written(names)]).toEqual([
    [2, 1],
    [true, true, true],
  ]);
});

it('a chat of the AI SDK goes on by itself with what subagents asked', async () => {
  const names = namesOf('ai-sdk');
  const { projectRoot, url } = server;
  const chat = new HeadlessChat({
    url,
    id: randomUUID(),
    body: { agent: 'LEAD', projectRoot, opts },
  });
  const open = () =>
    chat.partsOf('data-approval').filter(({ data }) => Object(data).status === 'pending');
  await chat.sendMessage({ text: messageFor(names) });
  expect(open()).toHaveLength(2);
  for (const { id } of open()) {
    await chat.addToolApprovalResponse({ id: String(id), approved: true });
  }
  await chat.until(() => chat.isIdle() && open().length === 1);
  await chat.addToolApprovalResponse({ id: String(open()[0]?.['id']), approved: true });
  await chat.ended();
  expect([chat.error, chat.sent.length, chat.messages.length]).toEqual([undefined, 3, 2]);
  expect(written(names)).toEqual([true, true, true]);
});
