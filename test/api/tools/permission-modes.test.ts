import { permissionModes } from '../../../src/storage/shapes/stored-options.js';
import { AgentClient } from '../../support/clients/agent-client.js';
import { HeadlessChat } from '../../support/clients/headless-chat.js';
import { useServer } from '../../support/processes/start-server.js';
import { randomUUID } from 'node:crypto';
import { HttpAgent } from '@ag-ui/client';
import { describe, expect, it } from '@jest/globals';

const message = '[[tool=write {"file_path":"asked.txt","content":"x"}]]';

describe('a turn that names no permission mode', () => {
  const server = useServer();

  const announcedMode = (): string | undefined =>
    /Permission mode: (\w+)/.exec(JSON.stringify(server.modelRequests.at(-1)?.body.system))?.[1];

  /** Runs a turn of the harness wire in the newest session, and so in that session's own mode. */
  async function continuesAs(origin: string, opts: object = {}): Promise<void> {
    const { body } = await server.client.get('/api/harness/sessions?limit=1');
    const [newest] = body['sessions'] as { sessionId: string }[];
    expect(newest).toMatchObject({ mode: 'direct', origin });
    const stream = await server.client.turn(newest?.sessionId ?? '', 'Hello', { opts });
    await stream.all();
    const request = JSON.stringify(server.modelRequests.at(-1)?.body);
    const named = [...request.matchAll(/ermission mode(?: is|:) (\w+)/g)].map(([, mode]) => mode);
    expect(named.at(-1)).toBe('direct');
    expect(permissionModes).toEqual(expect.arrayContaining(named));
  }

  it('asks on AG-UI', async () => {
    const agent = new HttpAgent({ url: `${server.url}/agent/WORKING_ITEMS/ag-ui` });
    agent.addMessage({ id: 'user-1', role: 'user', content: message });
    const { projectRoot } = server;
    await agent.runAgent({ forwardedProps: { turnpike: { projectRoot } } });
    expect(agent.pendingInterrupts).toMatchObject([{ reason: expect.any(String) }]);
    expect(announcedMode()).toBe('direct');
    await continuesAs('ag-ui', { onBusy: 'interrupt' });
  });

  it.each([
    ['without an agent', {}],
    ['with one', { agent: 'WORKING_ITEMS' }],
  ])('asks on the AI SDK’s wire, %s', async (_what, more) => {
    const body = { projectRoot: server.projectRoot, ...more };
    const chat = new HeadlessChat({ url: server.url, id: randomUUID(), body });
    await chat.sendMessage({ text: message });
    expect(chat.partsOf('dynamic-tool')).toMatchObject([{ state: 'approval-requested' }]);
    expect(announcedMode()).toBe('direct');
    await continuesAs('ai-sdk', { onBusy: 'interrupt' });
  });

  it('asks nobody on the agent stream, whose clients could not answer', async () => {
    const stream = await new AgentClient(server.url).stream({ message });
    const frames = await stream.all();
    expect(frames.find(({ event }) => event === 'tool_call_end')?.data).toMatchObject({
      status: 'error',
    });
    expect(announcedMode()).toBe('dontAsk');
    await continuesAs('named-agents');
  });

  it('asks nobody on the oracle’s wire', async () => {
    const { status } = await server.client.post('/api/oracle', { question: message });
    expect([status, announcedMode()]).toEqual([200, 'dontAsk']);
    await continuesAs('oracle');
  });
});
