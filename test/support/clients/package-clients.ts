import { randomUUID } from 'node:crypto';
import { HttpAgent } from '@ag-ui/client';
import OpenAI from 'openai';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { settling, type Question, type WireClient } from './wire-clients.js';

/** Clients that other people wrote for two of the wires; the AI SDK is among those of `wire-clients.ts`. */
export const packageClients: Record<string, (asked: Question) => Promise<WireClient>> = {
  '@ag-ui/client': openAgUi,
  'the package openai': openResponses,
};

/** The package has no way back: the run is sent again, without the answer so far. */
async function openAgUi({ url, projectRoot, message }: Question): Promise<WireClient> {
  const agent = new HttpAgent({ url: `${url}/agent/WORKING_ITEMS/ag-ui`, fetch: endingFetch });
  let received = '';
  agent.subscribe({ onTextMessageContentEvent: ({ event }) => void (received += event.delta) });
  const asked = { id: 'user-1', role: 'user' as const, content: message };
  agent.addMessage(asked);
  const forwardedProps = { turnpike: { projectRoot } };
  const runId = randomUUID();
  const run = (): Promise<unknown> => agent.runAgent({ runId, forwardedProps });
  const answer = (): string =>
    agent.messages
      .map(({ role, content }) => (role === 'assistant' ? String(content) : ''))
      .join('');
  const comeBack = (): Promise<unknown> => {
    agent.setMessages([asked]);
    return run();
  };
  return { received: () => received, answer, ended: settling(run()), comeBack };
}

/**
 * The package throws once more for a broken body, where nobody can catch it: here the body ends.
 */
const endingFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const reader = response.body?.getReader();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const read = await reader?.read().catch(() => undefined);
      if (read?.value === undefined) controller.close();
      else controller.enqueue(read.value);
    },
    cancel: () => reader?.cancel(),
  });
  return new Response(body, response);
};

/** The package has no way back of its own: a client asks for what comes after its last event. */
async function openResponses({ url, message }: Question): Promise<WireClient> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 });
  const events: ResponseStreamEvent[] = [];
  const take = async (stream: AsyncIterable<ResponseStreamEvent>): Promise<void> => {
    for await (const event of stream) events.push(event);
  };
  const stream = await client.responses.create({ input: message, stream: true, background: true });
  const textOf = (some: readonly ResponseStreamEvent[]): string =>
    some.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('');
  // Deltas count that came after the last word on what there is.
  const answer = (): string => {
    const last = events.findLastIndex(({ type }) => type === 'response.in_progress');
    return textOf(events.slice(last));
  };
  const comeBack = async (): Promise<void> => {
    const [first] = events;
    const id = first?.type === 'response.created' ? first.response.id : '';
    const after = events.at(-1)?.sequence_number ?? 0;
    await take(await client.responses.retrieve(id, { stream: true, starting_after: after }));
    const numbers = events.map(({ sequence_number }) => sequence_number);
    if (new Set(numbers).size < numbers.length) throw new Error('An event came twice');
    if (events.at(-1)?.type !== 'response.completed') throw new Error('The end is missing');
  };
  return { received: () => textOf(events), answer, ended: settling(take(stream)), comeBack };
}
