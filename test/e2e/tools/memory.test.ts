import { describe, expect, it } from '@jest/globals';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import { KeyedClient, makeKey } from '../../support/clients/keyed-client.js';
import { startServer, type TestServer, useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

const path = '/memories/notes.md';
const base = '/api/harness/memory';
const fileOf = (agent: string, of = path): string =>
  `${base}/${agent}/file?path=${encodeURIComponent(of)}`;
const tool = (input: Record<string, unknown>): string => `[[tool=memory ${JSON.stringify(input)}]]`;
const create = (content: string, of = path): string =>
  tool({ command: 'create', path: of, file_text: content });

const subagentGovernance = { contextSealed: true, pipelineRunApproved: true, approvalRef: 'CHG-1' };
const toolsOf = ({ modelRequests }: TestServer) => modelRequests.at(-1)?.body.tools ?? [];

describe('memory', () => {
  const server = useServer(async () => ({
    environment: {
      TURNPIKE_INSTRUCTION_ROOT: instructionRootWith({
        KEEPER: ['memory: true'],
        PLAIN: ['tools: [read]'],
        BOSS: ['subagents: [HELPER]', 'AGENT_TYPE: 1', 'memory: true'],
        HELPER: ['AGENT_TYPE: 2', 'AGENT_CLASS: TASK', 'memory: true'],
      }),
      TURNPIKE_ENABLE_SUBAGENTS: 'true',
      TURNPIKE_MEMORY_FILES: '3',
    },
  }));
  const owner = useShared(() => new KeyedClient(server.url));

  const run = async (persona: string, message: string, more: Record<string, unknown> = {}) => {
    const opts = { subagentGovernance, ...more };
    const sessionId = await server.client.createSession(server.projectRoot, { persona });
    const stream = await server.client.turn(sessionId, message, { opts });
    await stream.all();
    const results = stream.frames.filter(({ event }) => event === 'tool:result');
    return {
      turnId: stream.header('x-turn-id'),
      results: results.map(({ data }) => [data['status'], String(data['output'])]),
      frames: stream.frames,
    };
  };
  const read = (agent: string, of = path) => owner.send('GET', fileOf(agent, of));
  const put = (agent: string, content: string, headers: Record<string, string>) =>
    owner.send('PUT', fileOf(agent), { content }, headers);

  it('is off by default: the model has no such tool', async () => {
    const { results } = await run('PLAIN', create('x'));
    expect(results).toEqual([['error', expect.stringContaining('There is no tool memory')]]);
    expect(toolsOf(server).map(({ name }) => name)).not.toContain('memory');
  });

  it('is on by the agent’s file or by opts.memory, which may turn it off too, and is the tool that models know', async () => {
    const { results, turnId } = await run('KEEPER', create('from the file'));
    expect(results).toEqual([['success', `File created successfully at: ${path}`]]);
    expect(toolsOf(server)).toContainEqual({
      type: 'memory_20250818',
      name: 'memory',
    });
    const { body } = await owner.send('GET', `/api/harness/turns/${turnId}`);
    expect(body['turn']).toMatchObject({
      options: { memory: true },
      provenance: { memory: 'persona' },
    });
    const off = await run('KEEPER', create('x'), { memory: false });
    expect(off.results[0]?.[1]).toContain('There is no tool memory');
    const on = await run('PLAIN', create('by the option'), { memory: true });
    expect(on.results).toEqual([['success', expect.any(String)]]);
    expect((await read('PLAIN')).body['file']).toMatchObject({ turnId: on.turnId });
  });

  it('is there for the next session of the same agent, and for no other agent', async () => {
    const view = tool({ command: 'view', path });
    expect((await run('KEEPER', view)).results[0]?.[1]).toContain('     1\tfrom the file');
    expect((await run('BOSS', view)).results[0]?.[1]).toContain('does not exist');
  });

  it('runs the calls of one step in their order', async () => {
    const replace = (old: string, replacement: string) =>
      tool({ command: 'str_replace', path: '/memories/steps', old_str: old, new_str: replacement });
    const message = `${create('a', '/memories/steps')} ${replace('a', 'b')} ${replace('b', 'c')}`;
    const { results } = await run('KEEPER', message);
    expect(results.map(([status]) => status)).toEqual(['success', 'success', 'success']);
    expect((await read('KEEPER', '/memories/steps')).body['file']).toMatchObject({ content: 'c' });
  });

  it('gives a subagent the memory of its own agent, below a parent that has one', async () => {
    const prompt = create('of the helper');
    const task = `[[tool=task ${JSON.stringify({ agent: 'HELPER', prompt })}]]`;
    expect((await run('BOSS', task)).results.at(-1)?.[0]).toBe('success');
    expect((await read('HELPER')).body['file']).toMatchObject({ content: 'of the helper' });
    expect((await read('BOSS')).status).toBe(404);
    await owner.send('DELETE', `${base}/HELPER`);
    await run('BOSS', task, { memory: false });
    expect((await read('HELPER')).status).toBe(404);
  });

  it('lists, reads, writes and deletes for the owner, with a precondition for each write', async () => {
    const { headers, body } = await read('KEEPER');
    const etag = headers.get('etag') ?? '';
    const { file } = body as { file: { version: number } };
    expect([etag, body]).toEqual([
      `"${file.version}"`,
      { file: expect.objectContaining({ path, content: 'from the file', bytes: 13 }) },
    ]);
    expect((await put('KEEPER', 'x', {})).body).toMatchObject({
      error: { type: 'INVALID_REQUEST', message: expect.stringContaining("'If-Match'") },
    });
    expect((await put('KEEPER', 'x', { 'if-none-match': '*' })).status).toBe(412);
    const written = await put('KEEPER', 'corrected', { 'if-match': etag });
    expect([written.status, written.body]).toEqual([
      200,
      { file: expect.objectContaining({ content: 'corrected', turnId: null }) },
    ]);
    const late = await put('KEEPER', 'x', { 'if-match': etag });
    expect([late.status, late.body]).toMatchObject([412, { error: { type: 'MEMORY_CHANGED' } }]);
    const { body: listed } = await owner.send('GET', `${base}/KEEPER?limit=1`);
    expect(listed).toMatchObject({ files: [{ path }], nextCursor: path });
    const next = await owner.send(
      'GET',
      `${base}/KEEPER?limit=1&cursor=${encodeURIComponent(path)}`,
    );
    expect(next.body).toEqual({ files: [expect.objectContaining({ path: '/memories/steps' })] });
    const stale = await owner.send('DELETE', fileOf('KEEPER'), undefined, { 'if-match': etag });
    expect(stale.status).toBe(412);
    expect((await owner.send('DELETE', fileOf('KEEPER'))).body).toEqual({ deletedFiles: 1 });
    expect((await owner.send('DELETE', fileOf('KEEPER'))).status).toBe(404);
    expect((await owner.send('DELETE', `${base}/KEEPER`)).body).toEqual({ deletedFiles: 1 });
    expect((await owner.send('GET', `${base}/KEEPER`)).body).toEqual({ files: [] });
    const { body: all } = await owner.send('GET', base);
    const quota = { files: 3, fileBytes: 65_536, bytes: 1_048_576 };
    expect(all).toEqual({
      memories: [expect.objectContaining({ agent: 'PLAIN', files: 1, quota })],
    });
  });

  it.each(['/etc/passwd', '/memories', '/memories/../x', '/memories/.x', '/memories/a%252f'])(
    'refuses the path %s',
    async (of) => {
      const answer = await owner.send('GET', `${base}/PLAIN/file?path=${of}`);
      expect(answer.body).toMatchObject({ error: { type: 'INVALID_REQUEST' } });
    },
  );

  it('refuses a page token that is none, and more files than there may be', async () => {
    expect((await owner.send('GET', `${base}/PLAIN?cursor=x`)).status).toBe(400);
    for (const name of ['a', 'b']) {
      const of = fileOf('PLAIN', `/memories/${name}`);
      await owner.send('PUT', of, { content: name }, { 'if-none-match': '*' });
    }
    const fourth = fileOf('PLAIN', '/memories/d');
    const full = await owner.send('PUT', fourth, { content: '' }, { 'if-none-match': '*' });
    expect([full.status, full.body]).toMatchObject([409, { error: { type: 'MEMORY_FULL' } }]);
    const inFile = fileOf('PLAIN', '/memories/a/b');
    const blocked = await owner.send('PUT', inFile, { content: '' }, { 'if-none-match': '*' });
    expect(blocked.body).toMatchObject({ error: { type: 'INVALID_REQUEST' } });
  });

  it('says what an option is worth on a server without memory', async () => {
    const plain = await startServer({ environment: { TURNPIKE_MEMORY: 'false' } });
    try {
      const sessionId = await plain.client.createSession(plain.projectRoot);
      const stream = await plain.client.turn(sessionId, create('x'), { opts: { memory: true } });
      const texts = (await stream.all()).map(({ data }) => JSON.stringify(data)).join('\n');
      expect(texts).toContain('TURNPIKE_MEMORY is false');
      expect(texts).toContain('There is no tool memory');
      const write = await new KeyedClient(plain.url).send(
        'PUT',
        fileOf('WORKING_ITEMS'),
        { content: 'x' },
        { 'if-none-match': '*' },
      );
      expect([write.status, write.body]).toMatchObject([403, { error: { type: 'MEMORY_OFF' } }]);
    } finally {
      await plain.close();
    }
  });

  it('shows a principal nothing of another’s', async () => {
    const keys = await Promise.all(
      ['ada', 'bob'].map((principal) => makeKey(server, { principal, name: principal })),
    );
    const [ada, bob] = keys.map(({ secret }) => new KeyedClient(server.url, secret));
    await ada?.send('PUT', fileOf('KEEPER'), { content: 'ada' }, { 'if-none-match': '*' });
    expect((await ada?.send('GET', fileOf('KEEPER')))?.body).toMatchObject({
      file: { content: 'ada' },
    });
    expect((await bob?.send('GET', fileOf('KEEPER')))?.status).toBe(404);
    expect((await bob?.send('GET', base))?.body).toEqual({ memories: [] });
  });
});
