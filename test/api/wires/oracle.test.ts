import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Answer } from '../../support/clients/client.js';
import { startServer, type TestServer, useServer } from '../../support/processes/start-server.js';
import { newFolder } from '../../support/suite.js';

type Chunk = Record<string, unknown> & { type: string };

/** The id of the request, in each error. */
const correlationId: unknown = expect.any(String);

/** Reads as the clients of this wire do: line by line, and no more of the format than they know. */
class ChunkReader {
  readonly chunks: Chunk[] = [];
  readonly #body: AsyncIterator<string>;
  #rest = '';

  constructor(readonly response: Response) {
    if (response.body === null) throw new Error('The answer has no body');
    this.#body = response.body.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
  }

  /** Reads until a chunk of the type came. */
  async until(type: string): Promise<void> {
    while (!this.chunks.some((chunk) => chunk.type === type)) {
      if (!(await this.#more())) throw new Error(`The stream ended without ${type}`);
    }
  }

  async all(): Promise<Chunk[]> {
    while (await this.#more());
    return this.chunks;
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#body.next();
    if (done === true) return false;
    const lines = (this.#rest + value).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith(':') || !line.startsWith('data: ')) continue;
      this.chunks.push(JSON.parse(line.slice('data: '.length)) as Chunk);
    }
    return true;
  }
}

const typesOf = (chunks: readonly Chunk[]): string[] => [...new Set(chunks.map((c) => c.type))];

function textOf(chunks: readonly Chunk[]): string {
  return chunks.map(({ type, content }) => (type === 'content' ? String(content) : '')).join('');
}

async function openStream(server: TestServer, body: object, query = ''): Promise<ChunkReader> {
  const response = await fetch(`${server.url}/api/oracle/stream${query}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return new ChunkReader(response);
}

describe('the oracle wire', () => {
  const root = newFolder();
  const server = useServer(async () => {
    await mkdir(path.join(root, 'my-project'));
    return { environment: { TURNPIKE_ORACLE_ROOT: root } };
  });

  const stream = (body: object, query = ''): Promise<ChunkReader> =>
    openStream(server, body, query);
  const ask = (body: unknown, query = ''): Promise<Answer> =>
    server.client.post(`/api/oracle${query}`, body);
  const cancel = async (query = '') =>
    (await server.client.post(`/api/oracle/cancel${query}`, '')).body['status'];

  /** A conversation with one answer. */
  const begin = async (): Promise<string> => {
    const { body } = await ask({ question: 'Hello' });
    return String(body['context_id']);
  };

  it('streams an answer, and says where the conversation goes on', async () => {
    const reader = await stream({ question: '[[tokens=5]]' });
    const chunks = await reader.all();
    expect(reader.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(textOf(chunks)).toBe('word1 word2 word3 word4 word5');
    const done = chunks.at(-1);
    expect(done).toMatchObject({
      type: 'done',
      tokens_used: expect.any(Number),
      model_used: 'claude-sonnet-5-5',
      context_id: reader.response.headers.get('x-session-id'),
    });
    const { body } = await ask({ question: 'And then?', context_id: done?.['context_id'] });
    expect(body['context_id']).toBe(done?.['context_id']);
    expect(JSON.stringify(server.modelRequests.at(-1)?.body.messages)).toContain('word5');
  });

  it('has the contract’s order, and an id on every frame', async () => {
    const question = '[[think=1]] [[tool=glob {"pattern":"*"}]] [[tokens=3]]';
    const response = await fetch(`${server.url}/api/oracle/stream`, {
      method: 'POST',
      body: JSON.stringify({ question }),
    });
    const reader = new ChunkReader(response.clone());
    const chunks = await reader.all();
    const order = ['thinking', 'tool_call', 'tool_result', 'done'];
    expect(typesOf(chunks).filter((type) => order.includes(type))).toEqual(order);
    expect(chunks.at(-2)?.type).toBe('content');
    const cited = await (await stream({ question: '[[cite]] [[tokens=3]]' })).all();
    expect(typesOf(cited.slice(-3))).toEqual(['content', 'source', 'done']);
    const turnId = response.headers.get('x-turn-id');
    const frames = (await response.text()).trim().split('\n\n');
    for (const frame of frames) {
      const lines = frame.split('\n').filter((line) => !line.startsWith(':'));
      expect([lines.length, lines[0]?.startsWith(`id: ${turnId}:1.`)]).toEqual([2, true]);
    }
    const call = chunks.find(({ type }) => type === 'tool_call')?.['tool_call'];
    const result = chunks.find(({ type }) => type === 'tool_result');
    expect(call).toMatchObject({ name: 'glob', arguments: '{"pattern":"*"}', status: 'running' });
    expect(result).toMatchObject({
      tool_call_id: (call as { id: string }).id,
      metadata: { order: 0 },
    });
  });

  it('answers in one piece, with what it looked up where that is asked for', async () => {
    const { status, body } = await ask({
      question: '[[cite]] [[tool=glob {"pattern":"*"}]] [[tokens=3]]',
      explain: true,
    });
    expect([status, body]).toEqual([
      200,
      {
        answer: expect.stringContaining('word1 word2 word3'),
        sources: expect.arrayContaining([expect.objectContaining({ source_type: 'vault' })]),
        tokens_used: expect.any(Number),
        model_used: 'claude-sonnet-5-5',
        context_id: expect.stringMatching(/^sess_/),
        retrieval_traces: [expect.objectContaining({ name: 'glob', status: 'completed' })],
        notices: [],
      },
    ]);
  });

  it('replaces a question that is still being answered', async () => {
    const contextId = await begin();
    const first = await stream({ question: '[[tokens=5000 gap=10]]', context_id: contextId });
    await first.until('content');
    const second = await stream({ question: '[[tokens=2]]', context_id: contextId });
    expect(textOf(await second.all())).toBe('word1 word2');
    const [error, done] = (await first.all()).slice(-2);
    expect(error).toMatchObject({ type: 'error', error: expect.stringMatching(/^Cancelled/) });
    expect(done).toMatchObject({
      type: 'done',
      context_id: contextId,
      metadata: { termination_reason: 'cancelled' },
    });
  });

  it('leaves it alone where the request says so', async () => {
    const contextId = await begin();
    const first = await stream({ question: '[[tokens=5000 gap=10]]', context_id: contextId });
    await first.until('content');
    const refused = await ask({ question: 'Me too', context_id: contextId }, '?busy=reject');
    expect([refused.status, refused.body]).toEqual([
      409,
      {
        detail: expect.stringContaining('busy=interrupt'),
        retryable: true,
        retryAfterMs: 2_000,
        correlationId,
      },
    ]);
    expect(await cancel(`?context_id=${contextId}`)).toBe('cancelled');
    await first.all();
  });

  it('cancels the newest question, and says when there is none', async () => {
    const older = await stream({ question: '[[tokens=5000 gap=10]]' });
    await older.until('content');
    const newer = await stream({ question: '[[tokens=5000 gap=10]]' });
    await newer.until('content');
    expect(await cancel()).toBe('cancelled');
    expect((await newer.all()).at(-1)).toMatchObject({
      metadata: { termination_reason: 'cancelled' },
    });
    expect(await cancel()).toBe('cancelled');
    await older.all();
    expect(await cancel()).toBe('no_active_session');
    expect(await cancel('?context_id=sess_unknown')).toBe('no_active_session');
  });

  it('ends a stream with the error of a turn that fails, and nothing after', async () => {
    const question = '[[tokens=20 gap=1]] [[fail=529 after=10]]';
    const chunks = await (await stream({ question })).all();
    expect(typesOf(chunks).slice(-2)).toEqual(['content', 'error']);
    const error = chunks.at(-1);
    expect(error).toMatchObject({
      error: expect.any(String),
      metadata: { status: 529, retryable: true },
    });
    const { status, body } = await ask({ question });
    expect(status).toBeGreaterThanOrEqual(500);
    const requestId = expect.stringMatching(/^req_/);
    expect(body).toEqual({ detail: error?.['error'], retryable: true, requestId, correlationId });
  });

  it('says of sources that they had no effect', async () => {
    const question = { question: 'Why? [[tokens=2]]', sources: ['vault', 'code'] };
    const notice = {
      type: 'system',
      system_type: 'options_ignored',
      system_message:
        'sources had no effect: this server searches with the tools of the conversation, not by source',
    };
    const { status, body } = await ask(question);
    expect([status, body['notices']]).toEqual([200, [expect.objectContaining(notice)]]);
    const chunks = await (await openStream(server, question)).all();
    expect(chunks).toContainEqual(expect.objectContaining(notice));
    expect((await ask({ question: question.question })).body['notices']).toEqual([]);
  });

  it('keeps the history of a conversation until it is deleted', async () => {
    const { client } = server;
    const answered = await ask({ question: '[[cite]] [[tokens=2]]' });
    const contextId = String(answered.body['context_id']);
    const newest = await client.get('/api/oracle/history');
    expect([newest.status, newest.body]).toEqual([
      200,
      {
        messages: [
          { role: 'user', content: '[[cite]] [[tokens=2]]', timestamp: expect.any(String) },
          {
            role: 'assistant',
            content: answered.body['answer'],
            timestamp: expect.any(String),
            sources: answered.body['sources'],
          },
        ],
        session_id: contextId,
        compressed: false,
        token_count: expect.any(Number),
      },
    ]);
    expect(newest.body['token_count']).toBeGreaterThan(0);
    const named = await client.get(`/api/oracle/history?context_id=${contextId}`);
    expect(named.body).toEqual(newest.body);
    const deleted = await client.request('DELETE', '/api/oracle/history');
    expect([deleted.status, deleted.body]).toEqual([
      200,
      { status: 'ok', message: expect.any(String) },
    ]);
    const gone = await client.get(`/api/oracle/history?context_id=${contextId}`);
    expect([gone.status, gone.body]).toEqual([
      404,
      { detail: expect.stringContaining(contextId), retryable: false, correlationId },
    ]);
  });

  it('works in a folder of the oracle’s root', async () => {
    const { body } = await ask({ question: 'Hello', project_id: 'my-project' });
    const session = await server.client.get(`/api/harness/session/${String(body['context_id'])}`);
    expect(session.body['session']).toMatchObject({
      projectRoot: path.join(root, 'my-project'),
      mode: 'direct',
      origin: 'oracle',
    });
    const missing = await ask({ question: 'Hello', project_id: 'none' });
    expect([missing.status, missing.body]).toEqual([
      404,
      {
        detail: expect.stringContaining('There is no project none'),
        retryable: false,
        correlationId,
      },
    ]);
  });

  it('refuses in the words its clients parse', async () => {
    const wrong = await ask({ question: '', max_tokens: 7 });
    expect([wrong.status, wrong.body]).toEqual([
      422,
      {
        detail: [
          { loc: ['body', 'question'], msg: expect.any(String), type: 'string_too_short' },
          { loc: ['body', 'max_tokens'], msg: expect.any(String), type: 'greater_than_equal' },
        ],
        retryable: false,
        correlationId,
      },
    ]);
    const busy = await server.client.post('/api/oracle/stream?busy=wait', { question: 'Hello' });
    expect([busy.status, busy.body]).toEqual([
      422,
      {
        detail: [expect.objectContaining({ loc: ['query', 'busy'] })],
        retryable: false,
        correlationId,
      },
    ]);
    const context = 'sess_00000000-0000-4000-8000-000000000000';
    for (const path of ['/api/oracle', '/api/oracle/stream']) {
      const body = { question: 'Hello', context_id: context };
      const answer = await server.client.post(path, body);
      expect([answer.status, answer.body]).toEqual([
        404,
        {
          detail: expect.stringContaining('Leave context_id out'),
          retryable: false,
          correlationId,
        },
      ]);
    }
  });
});

describe('the oracle wire without a provider key', () => {
  it('says so on the stream and as an error, and begins no conversation', async () => {
    const server = await startServer({
      environment: {
        ANTHROPIC_API_KEY: '',
        NODE_ENV: 'production',
        TURNPIKE_ORACLE_ROOT: tmpdir(),
      },
    });
    const chunks = await (await openStream(server, { question: 'Hello' })).all();
    expect(chunks).toEqual([
      {
        type: 'error',
        error: expect.stringContaining('ANTHROPIC_API_KEY'),
        metadata: { termination_reason: 'MISSING_API_KEY', status: 503, retryable: false },
      },
    ]);
    const { status, body } = await server.client.post('/api/oracle', { question: 'Hello' });
    expect([status, body]).toEqual([
      400,
      { detail: chunks[0]?.['error'], retryable: false, correlationId },
    ]);
    const history = await server.client.get('/api/oracle/history');
    expect(history.body).toEqual({
      messages: [],
      session_id: null,
      compressed: false,
      token_count: 0,
    });
    const deleted = await server.client.request('DELETE', '/api/oracle/history');
    expect(deleted.body).toMatchObject({ status: 'ok' });
    await server.close();
  });
});
