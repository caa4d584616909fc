import { beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { packageClients } from '../../support/clients/package-clients.js';
import { answer, openKilledServer, WORDS } from '../../support/crash/killed-server.js';
import { useShared } from '../../support/suite.js';

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
const asking = { input: `[[tool=pick_color]] [[tokens=${WORDS} gap=100]]`, tools };

describe('a server that is killed in the middle of an answer to a client of other people', () => {
  const scene = useShared(openKilledServer);
  const back = new Map<string, Promise<unknown>>();
  let asked: Response;
  /** What came of the answer to `asked` before the server died. */
  let begun: ResponseStreamEvent[];
  beforeAll(async () => {
    asked = await responses().create({ ...asking, background: false });
    await scene.ask(packageClients);
    const isSaying = ({ type }: ResponseStreamEvent) => type === 'response.output_text.delta';
    begun = await readTo(await sendAnswer(), isSaying);
    await scene.killAndStart();
    for (const [name, client] of scene.clients) {
      const coming = client.comeBack();
      coming.catch(() => undefined);
      back.set(name, coming);
    }
  });

  it.each(Object.keys(packageClients))('leaves %s with the answer, said once', async (name) => {
    await back.get(name);
    expect(scene.clients.get(name)?.answer()).toBe(answer);
  });

  const responses = () =>
    new OpenAI({ baseURL: `${scene.url}/v1`, apiKey: 'none', maxRetries: 0 }).responses;

  /** Answers what `asked` asks; a repeated request is the same one. */
  function sendAnswer() {
    const output = { type: 'function_call_output' as const, call_id: callIn(asked), output: 'red' };
    const answered = { input: [output], tools, previous_response_id: asked.id };
    return responses().create({ ...answered, stream: true });
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
    expect(await responses().retrieve(asked.id)).toEqual(asked);
    const whole = await readTo(await sendAnswer(), () => false);
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
