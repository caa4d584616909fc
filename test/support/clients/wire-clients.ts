import { randomUUID } from 'node:crypto';
import { createParser } from 'eventsource-parser';
import type { UIMessage, UIMessageChunk } from 'ai';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import type { AiSdkVersion } from '../../../src/wires/ai-sdk/dialect/ai-sdk-version.js';
import { AgentClient } from './agent-client.js';
import { headlessChats, packageTransport } from './headless-chat.js';
import { PageEvents } from './page-events.js';
import { StreamReader } from './read-stream.js';

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

/** One client of each wire, by name, each with a turn of its own; `package-clients.ts` has those of other people. */
export const wireClients: Record<string, (asked: Question) => Promise<WireClient>> = {
  'the typed client': openTypedClient,
  'an EventSource': openEventSource,
  'a client of the agent stream': openAgentStream,
  'a client of AG-UI': openRun,
  'the package ai, 6': (asked) => openAiSdk('6', asked),
  'the package ai, 7': (asked) => openAiSdk('7', asked),
  'a client of the oracle': openOracle,
  'a client of Responses': openResponse,
};

/** Marks an end as handled that the test looks at later. */
export function settling<T>(promise: Promise<T>): Promise<T> {
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

/** Sends a request with a body of JSON; the answer is a stream. */
async function openStream(url: string, body: object): Promise<StreamReader> {
  const connection = new AbortController();
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    signal: connection.signal,
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return new StreamReader(response, connection);
}

/** Follows a stream again. */
async function followStream(url: string, headers: Record<string, string> = {}) {
  const connection = new AbortController();
  return new StreamReader(await fetch(url, { headers, signal: connection.signal }), connection);
}

/** A run is followed again where its answer says, after the last event. */
async function openRun({ url, projectRoot, message }: Question): Promise<WireClient> {
  const first = await openStream(`${url}/agent/WORKING_ITEMS/ag-ui`, {
    threadId: randomUUID(),
    runId: randomUUID(),
    state: {},
    messages: [{ id: 'user-1', role: 'user', content: message }],
    tools: [],
    context: [],
    forwardedProps: { turnpike: { projectRoot } },
  });
  const readers = [first];
  const frames = () => readers.flatMap((reader) => reader.frames);
  const received = (): string =>
    frames()
      .map(({ data }) => (data['type'] === 'TEXT_MESSAGE_CONTENT' ? data['delta'] : ''))
      .join('');
  // A message that was discarded is begun again.
  const answer = (): string =>
    frames().reduce((text, { data }) => {
      if (data['type'] === 'MESSAGES_SNAPSHOT') return textIn(data['messages']);
      return data['type'] === 'TEXT_MESSAGE_CONTENT' ? text + String(data['delta']) : text;
    }, '');
  const comeBack = async (): Promise<void> => {
    const place = new URL(first.header('location'), url).href;
    const reader = await followStream(place, { 'last-event-id': frames().at(-1)?.id ?? '' });
    readers.push(reader);
    await reader.ended;
    if (frames().at(-1)?.data['type'] !== 'RUN_FINISHED') throw new Error('The end is missing');
  };
  return { received, answer, ended: first.ended, comeBack };
}

/** What the messages of a snapshot have of the answer so far. */
function textIn(messages: unknown): string {
  return (messages as { role: string; content?: string }[])
    .map(({ role, content = '' }) => (role === 'assistant' ? content : ''))
    .join('');
}

/** A response is followed again by its id, after the number of its last event. */
async function openResponse({ url, message }: Question): Promise<WireClient> {
  const body = { input: message, stream: true, background: true };
  const first = await openStream(`${url}/v1/responses`, body);
  const readers = [first];
  const events = () => readers.flatMap(({ frames }) => frames.map(({ data }) => data));
  const textOf = (some: readonly Record<string, unknown>[]): string =>
    some.map((one) => (one['type'] === 'response.output_text.delta' ? one['delta'] : '')).join('');
  // Deltas count that came after the last word on what there is.
  const answer = (): string =>
    textOf(events().slice(events().findLastIndex(({ type }) => type === 'response.in_progress')));
  const comeBack = async (): Promise<void> => {
    const [begun] = events();
    const { id } = (begun?.['response'] ?? {}) as { id?: string };
    const after = events().findLast(({ sequence_number }) => sequence_number !== undefined);
    const query = `stream=true&starting_after=${String(after?.['sequence_number'])}`;
    const reader = await followStream(`${url}/v1/responses/${id ?? ''}?${query}`);
    readers.push(reader);
    await reader.ended;
    const numbers = events().flatMap(({ sequence_number }) => sequence_number ?? []);
    if (new Set(numbers).size < numbers.length) throw new Error('An event came twice');
    if (!events().some(({ type }) => type === 'response.completed')) {
      throw new Error('The end is missing');
    }
  };
  return { received: () => textOf(events()), answer, ended: first.ended, comeBack };
}

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
