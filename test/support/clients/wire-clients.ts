import { randomUUID } from 'node:crypto';
import { HttpAgent } from '@ag-ui/client';
import { createParser } from 'eventsource-parser';
import type { UIMessage, UIMessageChunk } from 'ai';
import OpenAI from 'openai';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import type { AiSdkVersion } from '../../../src/wires/ai-sdk/dialect/ai-sdk-version.js';
import { AgentClient } from './agent-client.js';
import { headlessChats, packageTransport } from './headless-chat.js';
import { PageEvents } from './page-events.js';

/** A client of one wire in the middle of an answer. */
export interface WireClient {
  /** Text of every delta, with that of discarded steps. */
  received(): string;
  /** The answer as the client has it. */
  answer(): string;
  /** Settles when the stream ended; rejects when its connection broke. */
  ended: Promise<unknown>;
  /** Comes back as the wire has it, once the server is back at the same address. */
  comeBack(): Promise<unknown>;
}

export interface Question {
  url: string;
  projectRoot: string;
  message: string;
}

/** One client of each wire, by name, each with a turn of its own. */
export const wireClients: Record<string, (asked: Question) => Promise<WireClient>> = {
  'the typed client': openTypedClient,
  'an EventSource': openEventSource,
  'a client of the agent stream': openAgentStream,
  '@ag-ui/client': openAgUi,
  'the package ai, 6': (asked) => openAiSdk('6', asked),
  'the package ai, 7': (asked) => openAiSdk('7', asked),
  'a client of the oracle': openOracle,
  'the package openai': openResponses,
};

/** Marks an end as handled that the test looks at later. */
function settling<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

const goesOn = { onDisconnect: 'continue' } as const;

/** The client package reconnects without help. */
async function openTypedClient({ url, projectRoot, message }: Question): Promise<WireClient> {
  const client = new TurnpikeClient({ url });
  const { sessionId } = await client.sessions.create({ projectRoot });
  const turn = await client.turn({ sessionId, message, opts: goesOn });
  let received = '';
  let answer = '';
  const read = async (): Promise<void> => {
    for await (const event of turn) if (event.event === 'chat:delta') received += event.data.text;
    answer = (await turn.result()).text;
  };
  const ended = settling(read());
  return { received: () => received, answer: () => answer, ended, comeBack: () => ended };
}

/**
 * An EventSource reconnects without help, and stops at the server's answer that nothing follows.
 */
async function openEventSource({ url, projectRoot, message }: Question): Promise<WireClient> {
  const client = new TurnpikeClient({ url });
  const { sessionId } = await client.sessions.create({ projectRoot });
  const turn = await client.turn({ sessionId, message, opts: goesOn });
  turn.leave();
  const { turnId } = turn;
  const events = new PageEvents(`${url}/api/harness/turns/${turnId}/events`);
  const received = (): string =>
    events.frames.map(({ event, data }) => (event === 'chat:delta' ? data['text'] : '')).join('');
  const answer = (): string =>
    String(events.frames.find(({ event }) => event === 'chat:complete')?.data['text']);
  const ended = settling(events.closed);
  return { received, answer, ended, comeBack: () => ended };
}

async function openAgentStream({ url, message }: Question): Promise<WireClient> {
  const client = new AgentClient(url);
  let reader = await client.stream({ message });
  const frames = [reader.frames];
  const messageId = reader.header('x-message-id');
  const received = (): string =>
    frames
      .flat()
      .map(({ event, data }) => (event === 'message_delta' ? data['delta'] : ''))
      .join('');
  const answer = (): string =>
    frames.flat().reduce((text, { event, data }) => {
      if (event === 'message_reset') return String(data['content']);
      return event === 'message_delta' ? text + String(data['delta']) : text;
    }, '');
  const comeBack = async (): Promise<void> => {
    reader = await client.follow(messageId, frames.flat().at(-1)?.id);
    frames.push(reader.frames);
    await reader.all();
  };
  return { received, answer, ended: reader.ended, comeBack };
}

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

async function openAiSdk(
  version: AiSdkVersion,
  { url, projectRoot, message }: Question,
): Promise<WireClient> {
  let received = '';
  const note = (stream: ReadableStream<UIMessageChunk>) =>
    stream.pipeThrough(
      new TransformStream<UIMessageChunk, UIMessageChunk>({
        transform: (chunk, controller) => {
          if (chunk.type === 'text-delta') received += chunk.delta;
          controller.enqueue(chunk);
        },
      }),
    );
  const transport = packageTransport(version, { url, body: { projectRoot } });
  const chat = new headlessChats[version]({
    url,
    id: randomUUID(),
    transport: {
      sendMessages: async (sending) => note(await transport.sendMessages(sending)),
      reconnectToStream: (coming) => transport.reconnectToStream(coming),
      resumeStreamIsReplay: true,
    },
  });
  const readAll = async (reading: Promise<void>): Promise<void> => {
    await reading;
    if (chat.error !== undefined) throw chat.error;
  };
  const ended = settling(readAll(chat.sendMessage({ text: message })));
  const answer = (): string => {
    // Version 7 takes void parts out of the message itself.
    const gone = version === '6' ? (chat.metadata['discarded'] ?? []) : [];
    return chat.parts
      .map((part) =>
        part.type === 'text' && !(gone as unknown[]).includes(idOf(part)) ? part.text : '',
      )
      .join('');
  };
  const comeBack = (): Promise<void> => readAll(chat.resumeStream());
  return { received: () => received, answer, ended, comeBack };
}

function idOf(part: Extract<UIMessage['parts'][number], { type: 'text' }>): unknown {
  return part.providerMetadata?.['turnpike']?.['id'];
}

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

/** The wire has no way back into a stream: its client reads the history. */
async function openOracle({ url, message }: Question): Promise<WireClient> {
  const response = await fetch(`${url}/api/oracle/stream`, {
    method: 'POST',
    body: JSON.stringify({ question: message }),
    headers: { 'content-type': 'application/json' },
  });
  let received = '';
  let answer = '';
  const parser = createParser({
    onEvent: ({ data }) => {
      const chunk = JSON.parse(data) as OracleChunkRead;
      if (chunk.type === 'content') {
        received += chunk.content;
        answer += chunk.content;
      }
      if (chunk.system_type === 'content_discarded') answer = String(chunk.metadata?.['content']);
    },
  });
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) {
      parser.feed(decoder.decode(bytes as Uint8Array, { stream: true }));
    }
  };
  const turns = new TurnpikeClient({ url }).turns;
  const turnId = response.headers.get('x-turn-id') ?? '';
  const context = response.headers.get('x-session-id') ?? '';
  const comeBack = async (): Promise<void> => {
    while ((await turns.get(turnId)).endedAt === null) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const history = await fetch(`${url}/api/oracle/history?context_id=${context}`);
    const { messages } = (await history.json()) as {
      messages: { role: string; content: string }[];
    };
    answer = messages.findLast(({ role }) => role === 'assistant')?.content ?? '';
  };
  return { received: () => received, answer: () => answer, ended: settling(read()), comeBack };
}

interface OracleChunkRead {
  type: string;
  content?: string;
  system_type?: string;
  metadata?: Record<string, unknown>;
}
