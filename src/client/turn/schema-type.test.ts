import { expect, it } from '@jest/globals';
import type { ObjectOf } from './schema-type.js';
import type { TurnpikeClient, TurnResult } from '../turnpike-client.js';

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    size: { type: ['integer', 'null'] },
    kind: { enum: ['ship', 'boat'] },
    tags: { type: 'array', items: { type: 'string' } },
    at: { anyOf: [{ type: 'number' }, { const: 'never' }] },
    owner: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
    other: { $ref: '#/$defs/other' },
  },
  required: ['name', 'size', 'other'],
} as const;

interface Described {
  name: string;
  size: number | null;
  kind?: 'ship' | 'boat';
  tags?: string[];
  at?: number | 'never';
  owner?: { id: number };
  other: unknown;
}

// The compiler is the test: each of these is an error where a type differs.
const described: Same<
  ObjectOf<typeof schema>,
  { [Name in keyof Described]: Described[Name] }
> = true;

/** The result of a turn whose schema is written in its request, and of one without. */
async function results(client: TurnpikeClient) {
  const request = { sessionId: 'sess_1', message: 'Count.' };
  const properties = { count: { type: 'integer' } } as const;
  const output = { schema: { type: 'object', properties, required: ['count'] } } as const;
  const typed = await (await client.turn({ ...request, opts: { output } })).result();
  const plain = await (await client.turn(request)).result();
  return { typed, plain };
}
type Results = Awaited<ReturnType<typeof results>>;
const typed: Same<Results['typed']['output'], { count: number } | undefined> = true;
const plain: Same<Results['plain']['output'], TurnResult['output']> = true;

it('the types that a schema describes are those of the object', () => {
  expect([described, typed, plain]).toEqual([true, true, true]);
});
