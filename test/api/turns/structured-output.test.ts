import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { useServer } from '../../support/processes/start-server.js';
import { newFolder } from '../../support/suite.js';

const schema = {
  type: 'object',
  properties: { city: { type: 'string' }, people: { type: 'integer', minimum: 1_000 } },
  required: ['city', 'people'],
};
const paris = { city: 'Paris', people: 2_100_000 };
const writes = (object: object, more = ''): string => `[[output=${JSON.stringify(object)}${more}]]`;

/** Definitions that each refer twice to the next one. */
function doubling(levels: number): object {
  const two = (at: number): object => ({
    type: 'object',
    properties: { a: { $ref: `#/$defs/d${at}` }, b: { $ref: `#/$defs/d${at}` } },
  });
  const defs = Array.from({ length: levels }, (_, at) => [`d${at}`, two(at + 1)]);
  return { ...two(0), $defs: Object.fromEntries([...defs, [`d${levels}`, {}]]) };
}

describe('a turn that is to end with an object', () => {
  const folder = newFolder();
  const server = useServer(async () => {
    const models = path.join(folder, 'models.json');
    // A model without a format of replies.
    await writeFile(models, '{"claude-sonnet-4-6":{"structuredOutputs":false}}');
    return { environment: { TURNPIKE_MODELS: models } };
  });

  async function run(message: string, opts: object = {}, sessionId?: string) {
    const { client, projectRoot } = server;
    const session = sessionId ?? (await client.createSession(projectRoot));
    const stream = await client.turn(session, message, { opts: { output: { schema }, ...opts } });
    await stream.all();
    const turnId = stream.header('x-turn-id') ?? '';
    const { body } = await client.get(`/api/harness/turns/${turnId}`);
    const named = (name: string) =>
      stream.frames.filter(({ event }) => event === name).map(({ data }) => data);
    return { session, stream, turnId, named, turn: body['turn'] as Record<string, unknown> };
  }

  const bodies = (count: number) => server.modelRequests.slice(-count).map(({ body }) => body);
  const noticesOf = ({ named }: { named(name: string): Record<string, unknown>[] }) =>
    named('system:notice').map(({ kind }) => kind);

  it('streams it as it comes, has it once, and keeps it', async () => {
    const done = await run(writes(paris));
    expect(done.named('output:final')).toEqual([{ output: paris }]);
    expect(done.named('output:partial').at(-1)).toEqual({ step: 1, output: paris });
    expect(done.turn).toMatchObject({ status: 'completed', output: paris });
    const names = done.stream.names();
    expect(names.indexOf('output:final')).toBeLessThan(names.indexOf('chat:complete'));
    const again = await server.client.follow(done.turnId);
    expect((await again.all()).map(({ id }) => id)).toEqual(done.stream.frames.map(({ id }) => id));
  });

  it('holds the model to the schema on every step, as the provider takes it', async () => {
    await run('[[tool=glob {"pattern":"*"}]]');
    const formats = bodies(2).map(({ output_config: config }) => config?.format);
    expect(formats[0]).toEqual({
      type: 'json_schema',
      schema: {
        type: 'object',
        properties: {
          city: { type: 'string' },
          people: { type: 'integer', description: '{minimum: 1000}' },
        },
        required: ['city', 'people'],
        additionalProperties: false,
      },
    });
    expect(formats[1]).toEqual(formats[0]);
  });

  it('tells the model what is wrong, by the schema as it was given, and takes the next reply', async () => {
    const done = await run(
      writes({ city: 'Paris', people: 1 }, ' step=1') + writes(paris, ' step=2'),
    );
    expect(done.turn).toMatchObject({ status: 'completed', output: paris });
    expect(done.named('output:final')).toHaveLength(1);
    expect(done.named('step:end')).toHaveLength(2);
    expect(noticesOf(done)).toEqual(['output-repair']);
    const [, body] = bodies(2);
    expect(JSON.stringify(body?.messages.at(-1))).toContain('people must be >= 1000');
    // The repair stays in the model's view: requests only grow.
    await run('And now?', {}, done.session);
    expect(JSON.stringify(bodies(1))).toContain('people must be >= 1000');
  });

  it('fails where no reply is the object, keeps the last one to read, and never has an earlier one', async () => {
    const first = await run(writes(paris));
    const failed = await run('[[output=prose]]', { output: { schema, repairs: 2 } }, first.session);
    expect(failed.named('output:final')).toEqual([]);
    expect(failed.named('step:end')).toHaveLength(3);
    expect(failed.named('turn:error')).toMatchObject([
      { errorType: 'OUTPUT_INVALID', status: 422, details: { step: 3 } },
    ]);
    expect(failed.turn).toMatchObject({
      status: 'failed',
      output: null,
      error: { errorType: 'OUTPUT_INVALID' },
    });
    const { body } = await server.client.get(`/api/harness/sessions/${first.session}/messages`);
    expect(JSON.stringify(body)).toContain('prose');
    // The session goes on.
    expect((await run(writes(paris), {}, first.session)).turn).toMatchObject({ output: paris });
  });

  it.each([
    ['a refusal', `${writes(paris)} [[stop=refusal]]`, {}, 'refusal'],
    ['a reply that was cut', `${writes(paris)} [[stop=max_tokens]]`, {}, 'max_tokens'],
    ['the last call that a limit leaves', '[[output=prose step=1]]', { maxTurns: 2 }, 'max_turns'],
    ['a limit of one call', '[[output=prose]]', { maxTurns: 1 }, 'max_turns'],
  ])('has none after %s', async (_what, message, opts, reason) => {
    const done = await run(message, opts);
    expect(done.turn).toMatchObject({ status: 'limited', endReason: reason, output: null });
    expect(done.named('output:final')).toEqual([]);
  });

  it('has the one that the last call of a limit wrote, and is limited all the same', async () => {
    const message = '[[tool=glob {"pattern":"*"} step=1]]' + writes(paris, ' step=2');
    const done = await run(message, { maxTurns: 2 });
    expect(noticesOf(done)).toEqual(['limit-reached']);
    expect(done.turn).toMatchObject({ status: 'limited', endReason: 'max_turns', output: paris });
    expect(done.named('output:final')).toEqual([{ output: paris }]);
    const again = await server.client.follow(done.turnId);
    expect((await again.all()).map(({ id }) => id)).toEqual(done.stream.frames.map(({ id }) => id));
  });

  it('asks a model without such a format in words, once, and judges it in the same way', async () => {
    const message = '[[tool=glob {"pattern":"*"}]]' + writes(paris, ' step=2');
    const done = await run(message, { model: 'claude-sonnet-4-6' });
    expect(done.turn).toMatchObject({ status: 'completed', output: paris });
    expect(noticesOf(done)).toEqual(['output-format']);
    for (const { output_config: config } of bodies(2)) expect(config?.format).toBeUndefined();
    expect(JSON.stringify(bodies(1)[0]?.messages[0])).toContain('JSON Schema');
  });

  it('asks in words for what the format would forbid', async () => {
    const map = { type: 'object', additionalProperties: { type: 'integer' } };
    const done = await run(writes({ a: 1, b: 2 }), { output: { schema: map } });
    expect(done.turn).toMatchObject({ output: { a: 1, b: 2 } });
    expect(noticesOf(done)).toEqual(['output-format']);
  });

  const node = {
    properties: { v: { type: 'string' }, c: { type: 'array', items: { $ref: '#/$defs/N' } } },
    required: ['v', 'c'],
  };
  const root = { properties: { v: { type: 'string' }, c: { $ref: '#' } }, required: ['v'] };
  it.each<[string, object, object]>([
    ['a reference into a circle', { $defs: { N: node }, $ref: '#/$defs/N' }, { v: 'a', c: [] }],
    [
      'a reference to draft 7’s definitions',
      { definitions: { N: schema }, $ref: '#/definitions/N' },
      paris,
    ],
    ['one part', { $defs: { N: schema }, allOf: [{ $ref: '#/$defs/N' }] }, paris],
    ['variants', { anyOf: [schema, { type: 'null' }] }, paris],
    ['no type', { properties: schema.properties, required: schema.required }, paris],
    ['a field of its own kind', root, { v: 'a', c: { v: 'b' } }],
  ])('takes a schema whose root is %s', async (_what, given, object) => {
    const done = await run(writes(object), { output: { schema: given } });
    expect(done.turn).toMatchObject({ status: 'completed', output: object });
    const wrong = await run('[[output={"v":1}]]', { output: { schema: given, repairs: 0 } });
    expect(wrong.turn).toMatchObject({ status: 'failed', error: { errorType: 'OUTPUT_INVALID' } });
  });

  it('is rehearsed without a directive, also where the schema refers to itself', async () => {
    const list = await run('Hi', { output: { schema: { $defs: { N: node }, $ref: '#/$defs/N' } } });
    expect(list.turn).toMatchObject({ status: 'completed', output: { v: 'text', c: [] } });
    const child = await run('Hi', { output: { schema: root } });
    expect(child.turn).toMatchObject({ status: 'completed', output: { v: 'text' } });
  });

  it('answers with it as one JSON answer', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const opts = { output: { schema } };
    const sent = { sessionId, message: writes(paris), opts };
    const answer = await client.post('/api/harness/turn', sent, { accept: 'application/json' });
    expect(answer.body).toMatchObject({ outcome: 'completed', output: paris });
  });

  it.each<[string, object, string]>([
    ['no schema', { output: {} }, '/opts/output/schema'],
    ['a schema of a list', { output: { schema: { type: 'array' } } }, '/opts/output/schema/type'],
    [
      'a fault in a schema',
      { output: { schema: { type: 'object', properties: { a: { type: 'x' } } } } },
      '/opts/output/schema/properties/a/type',
    ],
    [
      'a pattern that is none',
      { output: { schema: { type: 'object', properties: { a: { pattern: '(' } } } } },
      '/opts/output/schema',
    ],
    ['sixty definitions that double', { output: { schema: doubling(60) } }, '/opts/output/schema'],
    ['citations', { output: { schema }, citations: true }, '/opts/citations'],
  ])('is refused with %s, by its pointer, and nothing is stored', async (_what, opts, pointer) => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const refused = await client.post('/api/harness/turn', { sessionId, message: 'Hi', opts });
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({
      error: { type: 'INVALID_REQUEST', details: { pointer } },
    });
    const { body } = await client.get(`/api/harness/sessions/${sessionId}/turns`);
    expect(body['turns']).toEqual([]);
  });

  it('is not steered into a turn that ends with something else', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const running = await client.turn(sessionId, '[[stall=60000]]');
    await running.until('chat:delta');
    const opts = { output: { schema }, onBusy: 'steer' };
    const refused = await client.post('/api/harness/turn', { sessionId, message: 'Hi', opts });
    expect(refused).toMatchObject({ status: 400, body: { error: { type: 'INVALID_REQUEST' } } });
    await client.post('/api/harness/interrupt', { sessionId });
    await running.all();
  });
});
