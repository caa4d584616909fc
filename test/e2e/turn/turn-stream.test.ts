import { describe, expect, it } from '@jest/globals';
import { useServer } from '../../support/processes/start-server.js';

describe('a turn, streamed', () => {
  const server = useServer();

  it('has the contract’s headers, frames and order', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const stream = await client.turn(sessionId, '[[tokens=5]]');
    const frames = await stream.all();
    const turnId = stream.header('x-turn-id');
    expect(stream.header('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(stream.header('cache-control')).toBe('no-cache, no-transform');
    expect(stream.header('x-session-id')).toBe(sessionId);
    expect(stream.header('location')).toBe(`/api/harness/turns/${turnId}/events`);
    // Where no worker has it within a quarter of a second, its place in the queue comes first.
    expect(stream.names().filter((name) => !/^(step:|turn:(end|queued))/.test(name))).toEqual([
      'session:init',
      ...stream.names().filter((name) => name === 'chat:delta'),
      'chat:complete',
      'session:complete',
      'process:exit',
    ]);
    expect(frames.at(0)?.data).toMatchObject({ model: 'claude-sonnet-5-5' });
    expect(frames.at(0)?.data['claudeSessionId']).toMatch(/^claude_[0-9a-f-]{36}$/);
    expect(frames.find((frame) => frame.event === 'chat:complete')?.data).toEqual({
      text: stream.text(),
    });
    expect(stream.text()).toBe('word1 word2 word3 word4 word5');
    expect(frames.at(-1)?.data).toEqual({ exitCode: 0 });
    const cursor = new RegExp(`^${turnId}:1\\.\\d+(\\.\\d+)?$`);
    expect(frames.every((frame) => cursor.test(frame.id))).toBe(true);
    expect(new Set(frames.map((frame) => frame.id)).size).toBe(frames.length);
  });

  it('sends line feeds only, and an id on every frame', async () => {
    const { client, projectRoot, url } = server;
    const sessionId = await client.createSession(projectRoot);
    const response = await fetch(`${url}/api/harness/turn`, {
      method: 'POST',
      body: JSON.stringify({ sessionId, message: 'Hello\r\nthere' }),
    });
    const text = await response.text();
    expect(text).not.toContain('\r');
    const blocks = text.trim().split('\n\n');
    for (const block of blocks) expect(block).toMatch(/^event: \S+\nid: \S+\ndata: \{.*\}$/);
  });

  it('gives the model the persona, the mode and the whole conversation', async () => {
    const { client, projectRoot, modelRequests } = server;
    const sessionId = await client.createSession(projectRoot, { mode: 'plan' });
    await (await client.turn(sessionId, 'First question')).all();
    await (await client.turn(sessionId, '[[tool=glob {"pattern":"*"}]] second')).all();
    await (await client.turn(sessionId, 'Third question')).all();
    const body = modelRequests.at(-1)?.body;
    expect(JSON.stringify(body?.system)).toContain('Permission mode: plan');
    expect(JSON.stringify(body?.system)).toContain(projectRoot);
    const messages = JSON.stringify(body?.messages);
    expect(messages).toContain('First question');
    expect(messages).toContain('tool_result');
    expect(body?.messages.map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
  });

  it('keeps claudeSessionId over the turns of a session, and stores it', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const first = await client.turn(sessionId, 'a');
    const id = (await first.until('session:init')).data['claudeSessionId'];
    const stored = await client.get(`/api/harness/session/${sessionId}`);
    expect(stored.body['session']).toMatchObject({ claudeSessionId: id });
    await first.all();
    const second = await client.turn(sessionId, 'b');
    expect((await second.until('session:init')).data).toMatchObject({
      claudeSessionId: id,
      resumed: true,
    });
    await second.all();
  });

  it('streams thinking, sources and tool arguments', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const stream = await client.turn(
      sessionId,
      '[[think=3]] [[cite]] [[tool=glob {"pattern":"**/*.md"}]] [[args=4]]',
      { opts: { thinking: true } },
    );
    await stream.all();
    const names = stream.names();
    expect(names).toContain('thinking:delta');
    expect(names).toContain('source');
    const args = stream.frames.filter((frame) => frame.event === 'tool:args');
    expect(args.map((frame) => frame.data['json']).join('')).toBe('{"pattern":"**/*.md"}');
    const order = ['tool:request', 'tool:args', 'tool:start', 'tool:result', 'chat:complete'];
    const offsets = order.map((name) => names.indexOf(name));
    expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
    expect(offsets).not.toContain(-1);
  });

  it('reports usage summed over the steps, on the stream and on the turn', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const stream = await client.turn(sessionId, '[[loop=3 tool=glob {"pattern":"a$i"}]]');
    const frames = await stream.all();
    const steps = frames.filter((frame) => frame.event === 'step:end');
    expect(steps).toHaveLength(4);
    const usage = frames.find((frame) => frame.event === 'turn:end')?.data['usage'];
    const sum = steps
      .map((frame) => frame.data['usage'] as Record<string, number>)
      .reduce((total, step) => total + (step['inputTokens'] ?? 0), 0);
    expect(usage).toMatchObject({ inputTokens: sum });
    const { body } = await client.get(`/api/harness/turns/${stream.header('x-turn-id')}`);
    expect(body['turn']).toMatchObject({ status: 'completed', attempt: 1, usage, exitCode: 0 });
  });
});
