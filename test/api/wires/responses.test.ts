import { describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import OpenAI, { APIError } from 'openai';
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { turnArchives } from '../../../src/storage/transcript-schema.js';
import { KeyedClient, makeKey } from '../../support/clients/keyed-client.js';
import { type TestServer, useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

type Call = Extract<Response['output'][number], { type: 'function_call' }>;
type Asked = Extract<Response['output'][number], { type: 'mcp_approval_request' }>;

const pickColor = {
  type: 'function' as const,
  name: 'pick_color',
  description: 'Asks the user for a color.',
  parameters: { type: 'object', properties: { of: { type: 'string' } } },
  strict: false,
};

const isCall = (item: Response['output'][number]): item is Call => item.type === 'function_call';
const isAsked = (item: Response['output'][number]): item is Asked =>
  item.type === 'mcp_approval_request';

describe('the Responses API for the package openai', () => {
  const server = useServer();
  const client = useShared(() => clientOf(server));

  const clientOf = ({ url }: TestServer, apiKey = 'none'): OpenAI =>
    new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
  const lastRequest = (): string => JSON.stringify(server.modelRequests.at(-1)?.body);

  async function read(stream: AsyncIterable<ResponseStreamEvent>): Promise<ResponseStreamEvent[]> {
    const events: ResponseStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    return events;
  }

  async function refusalOf(
    asked: Promise<unknown>,
  ): Promise<[number | undefined, unknown, unknown]> {
    const error: unknown = await asked.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof APIError)) throw new Error('The client has no error of the API');
    return [error.status as number, error.code, error.param];
  }

  /** The first item of its kind in a response. */
  function only<T>(items: readonly T[]): T {
    const [item] = items;
    if (item === undefined) throw new Error('The response has no such item');
    return item;
  }

  it('answers whole, with what the request had', async () => {
    const { response: http, data } = await client.responses
      .create({
        model: 'reader',
        input: '[[tokens=3]]',
        metadata: { ticket: '7' },
        user: 'ann',
        max_output_tokens: 500,
        instructions: 'Be kind.',
      })
      .withResponse();
    expect(data).toMatchObject({
      object: 'response',
      status: 'completed',
      model: 'reader',
      output_text: 'word1 word2 word3',
      metadata: { ticket: '7' },
      user: 'ann',
      max_output_tokens: 500,
      instructions: 'Be kind.',
      error: null,
      usage: { output_tokens: 3, total_tokens: expect.any(Number) },
    });
    expect(lastRequest()).toContain('Be kind.');
    expect(http.headers.get('x-turn-id')?.replace('turn_', 'resp_')).toBe(data.id);
    expect(await client.responses.retrieve(data.id)).toEqual(data);
  });

  it('streams, and goes on with the conversation', async () => {
    const first = await client.responses.create({ input: '[[tokens=4]] first' });
    const stream = client.responses.stream({ input: 'second', previous_response_id: first.id });
    const events = await read(stream);
    const response = await stream.finalResponse();
    expect(events.map(({ type }) => type).slice(0, 2)).toEqual([
      'response.created',
      'response.in_progress',
    ]);
    expect(events.at(-1)?.type).toBe('response.completed');
    expect(response.previous_response_id).toBe(first.id);
    expect(lastRequest()).toContain('word4');
    const numbers = events.map(({ sequence_number }) => sequence_number);
    expect(numbers).toEqual(numbers.map((_number, index) => index));
    const rest = await client.responses.retrieve(response.id, { stream: true, starting_after: 4 });
    expect(await read(rest)).toEqual(events.slice(5));
    const replayed = client.responses.stream({ response_id: response.id });
    expect((await replayed.finalResponse()).output).toEqual(response.output);
    const none = { stream: true, starting_after: numbers.length - 1 } as const;
    expect(await read(await client.responses.retrieve(response.id, none))).toEqual([]);
  });

  it('shows thinking as a summary, and tools of the server as calls of one', async () => {
    const { output } = await client.responses.create({
      input: '[[think=3]] [[tool=glob {"pattern":"*.none"}]]',
      reasoning: { effort: 'high', summary: 'auto' },
    });
    expect(output.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['reasoning', 'mcp_call', 'message']),
    );
    expect(output.find(({ type }) => type === 'mcp_call')).toMatchObject({
      name: 'glob',
      arguments: '{"pattern":"*.none"}',
      status: 'completed',
      output: expect.any(String),
    });
  });

  it('runs a turn in the background: it answers at once, and can be asked for and cancelled', async () => {
    const asked = { input: '[[tokens=5]]', background: true } as const;
    const started = await client.responses.create(asked);
    const end = (await read(await client.responses.retrieve(started.id, { stream: true }))).at(-1);
    expect(end?.type).toBe('response.completed');
    expect((await client.responses.retrieve(started.id)).output_text).toContain('word5');
    // An answer has what was written by then: this one says nothing for a minute.
    const input = '[[tokens=900 gap=100 first=60000]]';
    const long = await client.responses.create({ ...asked, input });
    expect(long).toMatchObject({ background: true, output: [] });
    expect(['queued', 'in_progress']).toContain(long.status);
    const busy = client.responses.create({ input: 'More', previous_response_id: long.id });
    expect(await refusalOf(busy)).toEqual([409, 'TURN_IN_PROGRESS', 'previous_response_id']);
    const cancelled = await client.responses.cancel(long.id);
    expect(cancelled).toMatchObject({ id: long.id, status: 'cancelled' });
    expect((await client.responses.cancel(long.id)).status).toBe('cancelled');
  });

  it('has the client run its own tools, over two responses', async () => {
    const tools = [pickColor];
    const first = await client.responses.create({
      input: '[[tool=pick_color {"of":"sky"}]]',
      tools,
    });
    const { call_id, name, arguments: given } = only(first.output.filter(isCall));
    expect([first.status, name, given]).toEqual(['completed', 'pick_color', '{"of":"sky"}']);
    const message = client.responses.create({ input: 'Well?', previous_response_id: first.id });
    expect(await refusalOf(message)).toEqual([400, 'INVALID_REQUEST', 'input']);
    const output = { type: 'function_call_output' as const, call_id, output: 'blue' };
    const answer = { previous_response_id: first.id, input: [output], tools };
    const second = await client.responses.create(answer);
    expect(second).toMatchObject({ status: 'completed', previous_response_id: first.id });
    expect(second.output_text).toContain('blue');
    // The same answer again is the same response, also for a client that names no response.
    expect(
      (await client.responses.create({ input: [...first.output.filter(isCall), output] })).id,
    ).toBe(second.id);
    expect(await client.responses.retrieve(second.id)).toEqual(second);
    expect(await client.responses.retrieve(first.id)).toEqual(first);
    const { data } = await client.responses.inputItems.list(second.id);
    expect(data).toMatchObject([{ type: 'function_call_output', call_id, output: 'blue' }]);
    const other = { ...output, output: 'red' };
    expect(await refusalOf(client.responses.create({ ...answer, input: [other] }))).toEqual([
      409,
      'APPROVAL_RESOLVED',
      null,
    ]);
    const third = { input: '[[tokens=2]]', previous_response_id: second.id };
    expect((await client.responses.create(third)).status).toBe('completed');
    const asked = { input: 'Other', previous_response_id: first.id };
    expect(await refusalOf(client.responses.create(asked))).toEqual([
      400,
      'INVALID_REQUEST',
      'previous_response_id',
    ]);
  });

  it('goes on from any response, also from one that was gone on from', async () => {
    const first = await client.responses.create({ input: 'Call me Ann. [[tokens=4]]' });
    const before = { previous_response_id: first.id };
    const one = await client.responses.create({ ...before, input: 'Sing.' });
    const key = { headers: { 'Idempotency-Key': 'branch' } };
    const other = await client.responses.create({ ...before, input: 'Dance.' }, key);
    expect(lastRequest()).toContain('Call me Ann.');
    expect(lastRequest()).not.toContain('Sing.');
    expect(other.previous_response_id).toBe(first.id);
    const again = await client.responses.create({ ...before, input: 'Dance.' }, key);
    expect([again.id, other.id === one.id]).toEqual([other.id, false]);
    await client.responses.create({ input: 'Louder.', previous_response_id: one.id });
    expect(lastRequest()).toContain('Sing.');
    expect(lastRequest()).not.toContain('Dance.');
  });

  it('has no request that goes on from one see another that does so at the same time', async () => {
    const first = await client.responses.create({ input: '[[tokens=2]]' });
    const sides = ['Left', 'Right', 'Straight on'];
    const ask = (input: string) =>
      client.responses.create({ input, previous_response_id: first.id });
    const answers = await Promise.allSettled(sides.map(ask));
    expect(answers.map(({ status }) => status)).toContain('fulfilled');
    for (const { body } of server.modelRequests) {
      const text = JSON.stringify(body);
      expect(sides.filter((side) => text.includes(side)).length).toBeLessThan(2);
    }
  });

  it.each([
    [true, 'completed'],
    [false, 'failed'],
  ])('asks about a call, and goes on once it was answered: %s', async (approve, status) => {
    const file = `{"file_path":"asked-${approve}.txt"`;
    const first = await client.responses.create({ input: `[[tool=write ${file},"content":"x"}]]` });
    const { id: approval_request_id, name } = only(first.output.filter(isAsked));
    expect(name).toBe('write');
    const answer = { type: 'mcp_approval_response' as const, approval_request_id, approve };
    const second = client.responses.stream({ input: [answer], previous_response_id: first.id });
    const { id, output } = await second.finalResponse();
    const call = { type: 'mcp_call', name: 'write', status };
    expect(output).toContainEqual(expect.objectContaining(call));
    const read = `[[tool=read ${file}}]]`;
    const third = await client.responses.create({ input: read, previous_response_id: id });
    expect(third.output[0]).toMatchObject({ type: 'mcp_call', name: 'read', status });
  });

  it('goes on with what a person answered elsewhere, as the same response', async () => {
    const input = '[[tool=write {"file_path":"elsewhere.txt","content":"x"}]]';
    const first = await client.responses.create({ input });
    const { id: approval_request_id } = only(first.output.filter(isAsked));
    const path = `/api/harness/approvals/${approval_request_id}`;
    expect((await server.client.post(path, { decision: 'approve' })).status).toBe(200);
    const answer = { type: 'mcp_approval_response' as const, approval_request_id, approve: true };
    const second = await client.responses.create({ input: [answer] });
    expect([second.status, second.previous_response_id]).toEqual(['completed', first.id]);
    const denied = { ...answer, approve: false };
    expect(await refusalOf(client.responses.create({ input: [denied] }))).toEqual([
      409,
      'APPROVAL_RESOLVED',
      null,
    ]);
  });

  it('says so where its events are kept no longer, and goes on all the same', async () => {
    const { id } = await client.responses.create({ input: 'Hello' });
    await server.db
      .delete(turnArchives)
      .where(eq(turnArchives.turnId, id.replace('resp_', 'turn_')));
    const gone = [410, 'STREAM_EXPIRED', null];
    expect(await refusalOf(client.responses.retrieve(id))).toEqual(gone);
    expect(await refusalOf(client.responses.retrieve(id, { stream: true }))).toEqual(gone);
    expect((await client.responses.inputItems.list(id)).data).toHaveLength(1);
    const next = { input: '[[tokens=1]]', previous_response_id: id };
    expect((await client.responses.create(next)).status).toBe('completed');
  });

  it('ends with an object of a schema, also where the first reply is none', async () => {
    const schema = {
      type: 'object',
      properties: { count: { type: 'integer' } },
      required: ['count'],
      additionalProperties: false,
    };
    const text = {
      format: { type: 'json_schema' as const, name: 'counted', strict: true, schema },
    };
    const first = await client.responses.parse({ input: 'Count.', text });
    expect([first.status, first.output_parsed]).toEqual([
      'completed',
      { count: expect.any(Number) },
    ]);
    const input = '[[output=none step=1]] [[output={"count":7} step=2]]';
    const stream = client.responses.stream({ input, text });
    const repaired = await stream.finalResponse();
    expect([repaired.status, repaired.text?.format]).toEqual(['completed', text.format]);
    expect(JSON.parse(repaired.output_text)).toEqual({ count: 7 });
    const never = await client.responses.create({ input: '[[output={"count":"x"}]]', text });
    expect([never.status, never.error?.code]).toEqual(['failed', 'OUTPUT_INVALID']);
  });

  it('joins the first response where a request is repeated, also the first of a conversation', async () => {
    const asked = { input: '[[tokens=2]]' };
    const again = { headers: { 'Idempotency-Key': 'once' } };
    const first = await client.responses.create(asked, again);
    expect((await client.responses.create(asked, again)).id).toBe(first.id);
    const next = { ...asked, previous_response_id: first.id };
    const key = { headers: { 'Idempotency-Key': 'twice' } };
    const second = await client.responses.create(next, key);
    expect((await client.responses.create(next, key)).id).toBe(second.id);
    expect(await refusalOf(client.responses.create({ input: 'Other' }, again))).toEqual([
      422,
      'IDEMPOTENCY_KEY_REUSED',
      null,
    ]);
  });

  it('ends a turn that failed, or reached a limit, with its reason', async () => {
    const failed = await client.responses.create({ input: '[[tokens=9]] [[fail=400 after=3]]' });
    expect(failed).toMatchObject({ status: 'failed', error: { code: expect.any(String) } });
    const cut = await client.responses.create({ input: '[[tokens=9]] [[stop=max_tokens]]' });
    expect(cut).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ status: 'incomplete' }],
    });
  });

  it('refuses in words that the client has types for', async () => {
    const unknown = { input: 'Hello', model: 'gpt-4o' };
    expect(await refusalOf(client.responses.create(unknown))).toEqual([
      404,
      'PERSONA_NOT_FOUND',
      'model',
    ]);
    expect(await refusalOf(client.responses.retrieve('resp_none'))).toEqual([
      404,
      'TURN_NOT_FOUND',
      null,
    ]);
    const before = { input: 'Hello', previous_response_id: 'resp_none' };
    expect(await refusalOf(client.responses.create(before))).toEqual([
      404,
      'TURN_NOT_FOUND',
      'previous_response_id',
    ]);
    const { id } = await client.responses.create({ input: 'Hello' });
    const late = client.responses.retrieve(id, { stream: true, starting_after: -1 });
    expect(await refusalOf(late)).toEqual([400, 'INVALID_REQUEST', 'starting_after']);
    const file = { type: 'input_file' as const, filename: 'a.exe', file_data: 'TVqQAAMAAAA=' };
    const refused = client.responses.create({ input: [{ role: 'user', content: [file] }] });
    expect(await refusalOf(refused)).toEqual([400, 'ATTACHMENT_FAILURE', null]);
  });

  it('has nothing of another principal, and no more turns than the key may have', async () => {
    const [ann, bob] = await Promise.all(
      ['ann', 'bob'].map((principal) =>
        makeKey(server, { principal, scopes: ['turns'], limits: { concurrentTurns: 1 } }),
      ),
    );
    const anns = clientOf(server, ann?.secret);
    const long = await anns.responses.create({ input: '[[tokens=900 gap=100]]', background: true });
    expect(await refusalOf(anns.responses.create({ input: 'Hello' }))).toEqual([
      429,
      'TOO_MANY_TURNS',
      null,
    ]);
    const bobs = new KeyedClient(server.url, bob?.secret);
    expect((await bobs.send('GET', `/v1/responses/${long.id}`)).status).toBe(404);
    await anns.responses.cancel(long.id);
    const asked = await anns.responses.create({ input: '[[tool=pick_color]]', tools: [pickColor] });
    const { call_id } = only(asked.output.filter(isCall));
    const output = { type: 'function_call_output', call_id, output: 'red' };
    const stolen = await bobs.send('POST', '/v1/responses', { input: [output] });
    expect([stolen.status, stolen.text]).toEqual([400, expect.stringContaining('not a call')]);
  });
});
