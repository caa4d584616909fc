import { HttpAgent, type RunAgentParameters } from '@ag-ui/client';
import type { Event, RunFinishedEvent } from '@ag-ui/core';
import { CopilotKitCore } from '@copilotkit/core';
import { describe, expect, it } from '@jest/globals';
import { HttpAgent as HttpAgentBefore1 } from 'ag-ui-client-before-1';
import { z } from 'zod';
import { useServer } from '../../support/processes/start-server.js';

describe('a page that is loaded anew, with AG-UI', () => {
  const server = useServer();

  const url = (): string => `${server.url}/agent/WORKING_ITEMS/ag-ui`;

  function page(threadId: string, props: object = {}) {
    const agent = new HttpAgent({ url: url(), threadId });
    const events: Event[] = [];
    agent.subscribe({ onEvent: ({ event }) => void events.push(event as Event) });
    const opts = { mode: 'direct', onDisconnect: 'continue' };
    const turnpike = { projectRoot: server.projectRoot, opts, ...props };
    const run = (more: RunAgentParameters = {}) =>
      agent.runAgent({ forwardedProps: { turnpike }, ...more });
    const say = (content: string, more: RunAgentParameters = {}) => {
      agent.addMessage({ id: `user-${agent.messages.length}`, role: 'user', content });
      return run(more);
    };
    const types = (): string[] => [...new Set(events.map(({ type }): string => type))];
    const finished = (): RunFinishedEvent => events.at(-1) as RunFinishedEvent;
    return { agent, events, run, say, types, finished };
  }

  it('gets the conversation and the state of a thread where nothing runs', async () => {
    const first = page('idle');
    await first.say('[[think=2]] [[tool=glob {"pattern":"*"}]] [[tokens=3]]');
    await first.say('[[tokens=2]]');
    const second = page('idle');
    second.agent.setState({ mine: 1 });
    await second.run();
    expect(second.events.map(({ type }) => type)).toEqual([
      'RUN_STARTED',
      'MESSAGES_SNAPSHOT',
      'STATE_SNAPSHOT',
      'RUN_FINISHED',
    ]);
    expect(second.agent.messages).toEqual(first.agent.messages);
    const { turnpike } = first.agent.state as { turnpike: Record<string, unknown> };
    const { maxContextTokens, ...state } = turnpike;
    expect(maxContextTokens).toBeGreaterThan(0);
    expect(second.agent.state).toEqual({ mine: 1, turnpike: state });
    // The page goes on from there.
    await second.say('[[tokens=1]]');
    expect(second.types()).not.toContain('RUN_ERROR');
  });

  it('is sent the conversation with a message, where it lacks that', async () => {
    await page('lacking').say('[[tokens=2]]');
    const { agent, events, say } = page('lacking');
    const snapshots = () =>
      events.map(({ type }): string => type).filter((type) => type === 'MESSAGES_SNAPSHOT');
    await say('Again');
    expect(snapshots()).toHaveLength(1);
    const roles = agent.messages.map(({ role }) => role);
    expect(roles).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(agent.messages[1]?.content).toBe('word1 word2');
    // The client has the history now.
    await say('Once more');
    expect(snapshots()).toHaveLength(1);
  });

  it('gets the conversation without the turns that another one replaced', async () => {
    const first = page('replaced');
    await first.say('First [[tokens=1]]');
    await first.say('Second [[tokens=1]]');
    const { turnpike } = first.agent.state as { turnpike: { turnId: string } };
    const editing = page('replaced', { opts: { mode: 'direct', replaces: turnpike.turnId } });
    await editing.say('In other words [[tokens=1]]');
    const reader = page('replaced');
    await reader.run();
    const asked = reader.agent.messages.filter(({ role }) => role === 'user');
    expect(asked.map(({ content }) => content)).toEqual([
      'First [[tokens=1]]',
      'In other words [[tokens=1]]',
    ]);
  });

  it('says what a limit left unsaid, too', async () => {
    const first = page('limited', { opts: { mode: 'direct', maxTurns: 1 } });
    await first.say('[[loop=5 tool=glob {"pattern":"*"}]]');
    const second = page('limited');
    await second.run();
    expect(second.agent.messages).toEqual(first.agent.messages);
  });

  it('goes on with a turn that runs, from its start', async () => {
    const first = page('running');
    const begun = new Promise<void>((resolve) => {
      first.agent.subscribe({ onTextMessageContentEvent: () => resolve() });
    });
    const asked = first.say('[[tokens=150 gap=20]]');
    await begun;
    const second = page('running');
    await second.run();
    await asked;
    expect(second.finished().result).toMatchObject({ outcome: 'completed' });
    expect(second.agent.messages).toEqual(first.agent.messages);
    expect(second.agent.state).toEqual(first.agent.state);
  });

  it('is asked again what the turn waits for, and answers it', async () => {
    const first = page('asked');
    const tools = [
      { name: 'pick_colour', description: 'Lets the user pick', parameters: { type: 'object' } },
    ];
    const file = '{"file_path":"reloaded.txt","content":"x"}';
    await first.say(`[[tool=pick_colour {}]] [[tool=write ${file}]] [[tokens=2]]`, { tools });
    const [call] = first.agent.messages.flatMap((one) =>
      one.role === 'assistant' ? (one.toolCalls ?? []) : [],
    );
    const output = { id: 'o1', role: 'tool', toolCallId: call?.id ?? '', content: 'red' } as const;
    first.agent.addMessage(output);
    const [interrupt] = first.agent.pendingInterrupts;
    const second = page('asked');
    await second.run();
    expect(second.finished().outcome).toMatchObject({
      type: 'interrupt',
      interrupts: [{}, {}].slice(1),
    });
    expect(second.agent.pendingInterrupts.map(({ id }) => id)).toEqual([interrupt?.id]);
    second.agent.addMessage(output);
    const resume = [
      {
        interruptId: interrupt?.id ?? '',
        status: 'resolved',
        payload: { approved: true },
      } as const,
    ];
    await second.run({ resume });
    expect(second.finished().result).toMatchObject({ outcome: 'completed' });
    const third = page('asked');
    await third.run();
    // The output that the client gave is a part of the conversation.
    expect(JSON.stringify(third.agent.messages)).toContain('"red"');
  });

  it('is told that there is nothing to read in a thread that never was', async () => {
    const refused = await fetch(url(), {
      method: 'POST',
      body: JSON.stringify({ threadId: 'unknown', runId: 'r', messages: [] }),
      headers: { 'content-type': 'application/json' },
    });
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { detail: expect.stringContaining('nothing new') },
    ]);
  });
});

describe('clients of the protocol before 1.0', () => {
  const server = useServer();

  const agentOf = (threadId: string): HttpAgentBefore1 =>
    new HttpAgentBefore1({ url: `${server.url}/agent/WORKING_ITEMS/ag-ui`, threadId });
  const forwardedProps = () => ({
    turnpike: { projectRoot: server.projectRoot, opts: { mode: 'direct' } },
  });

  it('take a cancelled run', async () => {
    const agent = agentOf('old-cancelled');
    const begun = new Promise<void>((resolve) => {
      agent.subscribe({ onTextMessageContentEvent: () => resolve() });
    });
    agent.addMessage({ id: 'u1', role: 'user', content: '[[tokens=5000 gap=20]]' });
    const asked = agent.runAgent({ forwardedProps: forwardedProps() });
    await begun;
    const { turnId } = (agent.state as { turnpike: { turnId: string } }).turnpike;
    await server.client.post(`/api/harness/turns/${turnId}/interrupt`, {});
    await asked;
    expect(agent.state).toMatchObject({ turnpike: { status: 'interrupted' } });
  });

  it('have CopilotKit run the tools of its page', async () => {
    const agent = agentOf('copilotkit');
    const core = new CopilotKitCore({ agents__unsafe_dev_only: { working: agent } });
    const errors: string[] = [];
    core.subscribe({ onError: ({ error }) => void errors.push(error.message) });
    const picked: string[] = [];
    core.addTool({
      name: 'pick_colour',
      description: 'Lets the user pick a colour',
      parameters: z.object({ of: z.string() }),
      handler: ({ of }) => {
        picked.push(of);
        return Promise.resolve('red');
      },
    });
    core.setProperties(forwardedProps());
    agent.addMessage({
      id: 'u1',
      role: 'user',
      content: '[[tool=pick_colour {"of":"car"}]] [[tokens=2]]',
    });
    await core.runAgent({ agent });
    expect(errors).toEqual([]);
    expect(picked).toEqual(['car']);
    expect(agent.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'word1 word2' });
    expect(agent.state).toMatchObject({ turnpike: { status: 'completed' } });
  });
});
