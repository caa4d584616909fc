import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { startRehearsal, type Rehearsal } from '../../src/rehearsal/start-rehearsal.js';
import { newStore, type TestStore } from '../support/database/test-store.js';
import { startProcess, type ServerProcess } from '../support/processes/start-process.js';

const tools = [
  {
    type: 'function' as const,
    name: 'pick_color',
    description: 'Asks the user for a color.',
    parameters: { type: 'object', properties: {} },
    strict: false,
  },
];
const WORDS = 60;
const answer = Array.from({ length: WORDS }, (_, index) => `word${index + 1}`).join(' ');

describe('a response whose server is killed', () => {
  let model: Rehearsal;
  let store: TestStore;
  let folder: string;
  let environment: Record<string, string>;
  let server: ServerProcess;
  beforeAll(async () => {
    model = await startRehearsal();
    store = await newStore();
    folder = await mkdtemp(path.join(tmpdir(), 'turnpike-responses-'));
    environment = {
      ...store.environment,
      TURNPIKE_PROJECT_ROOT: folder,
      TURNPIKE_PROVIDER_BASE_URL: model.url,
      TURNPIKE_EGRESS_ALLOW: model.url,
      ANTHROPIC_API_KEY: 'sk-ant-test-key',
      TURNPIKE_LEASE_MS: '1000',
      TURNPIKE_DISCONNECT_GRACE_MS: '60000',
    };
    server = await startProcess(environment);
  });
  afterAll(async () => {
    await server.kill('SIGKILL');
    await model.close();
    await store.remove();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  const client = () =>
    new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 }).responses;

  async function killAndStart(): Promise<void> {
    await server.kill('SIGKILL');
    server = await startProcess(environment);
  }

  function callIn({ output }: Response): string {
    const [call] = output.flatMap((item) => (item.type === 'function_call' ? item.call_id : []));
    if (call === undefined) throw new Error('The response has no call');
    return call;
  }

  /** Reads up to an event, at which the connection is left. */
  async function readTo(
    stream: AsyncIterable<ResponseStreamEvent>,
    isLast: (event: ResponseStreamEvent) => boolean,
  ): Promise<ResponseStreamEvent[]> {
    const events: ResponseStreamEvent[] = [];
    for await (const event of stream) {
      events.push(event);
      if (isLast(event)) break;
    }
    return events;
  }

  it('keeps what it asked and what it was answered, and a repeated request has the same response', async () => {
    const input = `[[tool=pick_color]] [[tokens=${WORDS} gap=50]]`;
    const first = await client().create({ input, tools, background: false });
    await killAndStart();
    expect(await client().retrieve(first.id)).toEqual(first);
    const output = { type: 'function_call_output' as const, call_id: callIn(first), output: 'red' };
    const answered = { input: [output], tools, previous_response_id: first.id };
    const send = () => client().create({ ...answered, stream: true });
    const isSaying = ({ type }: ResponseStreamEvent) => type === 'response.output_text.delta';
    const begun = await readTo(await send(), isSaying);
    await killAndStart();
    const whole = await readTo(await send(), () => false);
    const [before, after] = [begun[0], whole[0]];
    if (before?.type !== 'response.created' || after?.type !== 'response.created') {
      throw new Error('A response begins with another event');
    }
    expect(after.response.id).toBe(before.response.id);
    const end = await client().retrieve(after.response.id);
    expect([end.status, end.output_text, end.previous_response_id]).toEqual([
      'completed',
      answer,
      first.id,
    ]);
    const numbers = whole.map(({ sequence_number }) => sequence_number);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
    expect(whole.at(-1)).toMatchObject({ type: 'response.completed', response: { id: end.id } });
  }, 120_000);
});
