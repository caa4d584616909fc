import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { startRehearsal, type Rehearsal } from '../../../rehearsal/start-rehearsal.js';
import { expectSoon } from '../../support/expect-soon.js';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import { startProcess, type ServerProcess } from '../../support/processes/start-process.js';
import { newStore, type TestStore } from '../../support/database/test-store.js';
import { wireClients, type WireClient } from '../../support/clients/wire-clients.js';
import { newFolder } from '../../support/suite.js';

const WORDS = 80;
const answer = Array.from({ length: WORDS }, (_, index) => `word${index + 1}`).join(' ');

const tools = [
  {
    type: 'function' as const,
    name: 'pick_color',
    description: 'Asks the user for a color.',
    parameters: { type: 'object', properties: {} },
    strict: false,
  },
];
/** A request whose turn asks for a color, and answers when it has one. */
const asking = { input: `[[tool=pick_color]] [[tokens=${WORDS} gap=50]]`, tools };

describe('a server that is killed in the middle of an answer, and starts again', () => {
  let model: Rehearsal;
  let store: TestStore;
  let server: ServerProcess;
  let environment: Record<string, string>;
  let asked: Response;
  const folders: string[] = [];
  const clients = new Map<string, WireClient>();
  const back = new Map<string, Promise<unknown>>();
  const instructions = instructionRootWith({});
  beforeAll(async () => {
    model = await startRehearsal();
    store = await newStore();
    const folder = newFolder();
    const projectRoot = await mkdtemp(path.join(folder, 'project-'));
    folders.push(folder, instructions);
    environment = {
      ...store.environment,
      TURNPIKE_INSTRUCTION_ROOT: instructions,
      TURNPIKE_PROJECT_ROOT: projectRoot,
      TURNPIKE_PROVIDER_BASE_URL: model.url,
      TURNPIKE_EGRESS_ALLOW: model.url,
      ANTHROPIC_API_KEY: 'sk-ant-test-key',
      TURNPIKE_LEASE_MS: '4000',
      // Clients of some wires come back only on a call of the test.
      TURNPIKE_DISCONNECT_GRACE_MS: '60000',
    };
    server = await startProcess(environment);
    asked = await responses().create({ ...asking, background: false });
    const question = { url: server.url, projectRoot, message: `[[tokens=${WORDS} gap=100]]` };
    for (const [name, open] of Object.entries(wireClients)) clients.set(name, await open(question));
    await expectSoon(() => {
      for (const client of clients.values()) expect(client.received()).toContain('word5 ');
    });
    await killAndStart();
    for (const [name, client] of clients) {
      const coming = client.comeBack();
      coming.catch(() => undefined);
      back.set(name, coming);
    }
  }, 300_000);
  afterAll(async () => {
    await server.kill('SIGKILL');
    await model.close();
    await store.close();
    for (const folder of folders)
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  it.each(Object.keys(wireClients))('leaves %s with the answer, said once', async (name) => {
    await back.get(name);
    expect(clients.get(name)?.answer()).toBe(answer);
  });

  /** The successor is at the same address. */
  async function killAndStart(): Promise<void> {
    const { port } = new URL(server.url);
    await server.kill('SIGKILL');
    server = await startProcess({ ...environment, TURNPIKE_PORT: port });
  }

  const responses = () =>
    new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 }).responses;

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
    expect(await responses().retrieve(asked.id)).toEqual(asked);
    const output = { type: 'function_call_output' as const, call_id: callIn(asked), output: 'red' };
    const answered = { input: [output], tools, previous_response_id: asked.id };
    const send = () => responses().create({ ...answered, stream: true });
    const isSaying = ({ type }: ResponseStreamEvent) => type === 'response.output_text.delta';
    const begun = await readTo(await send(), isSaying);
    await killAndStart();
    const whole = await readTo(await send(), () => false);
    const [before, after] = [begun[0], whole[0]];
    if (before?.type !== 'response.created' || after?.type !== 'response.created') {
      throw new Error('A response begins with another event');
    }
    expect(after.response.id).toBe(before.response.id);
    const end = await responses().retrieve(after.response.id);
    expect([end.status, end.output_text, end.previous_response_id]).toEqual([
      'completed',
      answer,
      asked.id,
    ]);
    const numbers = whole.map(({ sequence_number }) => sequence_number);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
    expect(whole.at(-1)).toMatchObject({ type: 'response.completed', response: { id: end.id } });
  });
});
