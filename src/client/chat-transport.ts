import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai';
import { ChatStream, type ChatReading } from './chat-stream.js';
import { TurnpikeError } from './transport/client-errors.js';
import { newKey, route, Transport, type ClientOptions } from './transport/transport.js';
import type { CancelState, ListedChat, TurnOptions } from './server-types.js';
import type { Page } from './calls/session-calls.js';

export { ConnectionLostError, TurnpikeError } from './transport/client-errors.js';
export type { CancelState, ListedChat, TurnOptions } from './server-types.js';
export type { ClientOptions } from './transport/transport.js';

/** A tool that the page runs. */
export interface ClientTool {
  name: string;
  description: string;
  /** A JSON Schema. */
  inputSchema: object;
}

export interface ChatTransportOptions extends ClientOptions {
  /** The agent that answers. Default: the server's persona. */
  agent?: string;
  /** Folder that new chats work in. Default: the server's. */
  projectRoot?: string;
  /** Options of each turn. */
  opts?: TurnOptions;
  clientTools?: readonly ClientTool[];
  /**
   * The major of the page's package `ai`: 7 from 7.0.70 on, see `aiSdkOf`. `7-steering`, from 7.0.163 on, shows what is
   * steered into a turn as a `steering-message`. Default: 6, which every major reads.
   */
  aiSdk?: AiSdkVersion;
}

export type AiSdkVersion = 6 | 7 | '7-steering';

/** The messages of a chat, oldest first. */
export interface ChatHistory<Message extends UIMessage = UIMessage> {
  messages: Message[];
  /** The turn that is to be resumed; null: none, or it waits for the approvals in its message. */
  activeTurnId: string | null;
  /** Page token of the messages before these; absent: there are none. */
  before?: string;
}

/** A schema of the package, as far as it is used. */
interface ChunkSchema {
  validate?:
    | ((value: unknown) => { success: boolean } | PromiseLike<{ success: boolean }>)
    | undefined;
}

/**
 * The major that a page has: `aiSdk: await aiSdkOf(uiMessageChunkSchema)`, with the schema of the page's own `ai`.
 * Releases of 7 before 7.0.70, which do not know all that 7 is sent, count as 6.
 */
export async function aiSdkOf(schema: () => ChunkSchema): Promise<6 | 7> {
  const checked = await schema().validate?.({ type: 'reset-step' });
  return checked?.success === true ? 7 : 6;
}

type Sending<Message extends UIMessage> = Parameters<ChatTransport<Message>['sendMessages']>[0];
/** Earlier versions of the package give no signal. */
type Reconnecting = Parameters<ChatTransport<UIMessage>['reconnectToStream']>[0] & {
  abortSignal?: AbortSignal | undefined;
};

/**
 * The transport of `useChat` for a Turnpike server. It sends what the server lacks, goes on after a connection
 * that broke, and has what the package's own lacks: history, the list of chats, and a stop that ends the turn.
 */
export class TurnpikeChatTransport<
  Message extends UIMessage = UIMessage,
> implements ChatTransport<Message> {
  /** A resumed stream has the whole answer, and makes the page's last message anew. */
  readonly resumeStreamIsReplay = true;
  readonly #transport: Transport;
  readonly #body: Readonly<Record<string, unknown>>;
  readonly #version: Pick<ChatReading, 'version' | 'takesBack'>;
  readonly #unread: ChatReading['unread'] = new Map();

  constructor({
    agent,
    projectRoot,
    opts,
    clientTools,
    aiSdk = 6,
    ...options
  }: ChatTransportOptions) {
    this.#transport = new Transport(options);
    this.#body = { agent, projectRoot, opts, clientTools };
    const version = aiSdk === 6 ? {} : { 'x-turnpike-ai-sdk': String(aiSdk) };
    this.#version = { version, takesBack: aiSdk !== 6 };
  }

  /** @throws TurnpikeError; ConnectionLostError. */
  sendMessages = async (sending: Sending<Message>): Promise<ReadableStream<UIMessageChunk>> => {
    const { chatId, messages, trigger, messageId, body, headers, abortSignal } = sending;
    const asked = { id: chatId, messages: lastMessages(messages), trigger, messageId };
    // The id of a message is its key. What is said once more has the same id, and means a further turn.
    const isAgain = trigger === 'regenerate-message' || messageId !== undefined;
    const key = isAgain ? { 'idempotency-key': newKey() } : {};
    const call = {
      method: 'POST',
      path: '/api/chat',
      body: { ...this.#body, ...body, ...asked },
      headers: { ...plain(headers), ...key, ...this.#version.version },
    } as const;
    const stream = new ChatStream(this.#transport, {
      chatId,
      ...this.#version,
      unread: this.#unread,
      open: (signal) => this.#transport.open({ ...call, signal }),
      signal: abortSignal ?? new AbortController().signal,
    });
    return (await stream.open()) ?? new ReadableStream({ start: (empty) => empty.close() });
  };

  /**
   * The answer that the chat is getting, from its start; null where there is none. An answer that this transport saw
   * in part, in the history or in a stream, comes whole, also where its turn ended meanwhile.
   */
  reconnectToStream = async ({
    chatId,
    headers,
    abortSignal,
  }: Reconnecting): Promise<ReadableStream<UIMessageChunk> | null> => {
    const path = `${pathOf(chatId)}/stream`;
    // Without its id, a turn that ended meanwhile would have no stream.
    const turnId = this.#unread.get(chatId);
    const named = turnId === undefined ? {} : { 'last-event-id': turnId };
    // Names in small letters: a page that names a turn or a frame itself is heard.
    const own = plain(new Headers(headers));
    const call = { path, headers: { ...named, ...own, ...this.#version.version } };
    const stream = new ChatStream(this.#transport, {
      chatId,
      ...this.#version,
      unread: this.#unread,
      open: (signal) => this.#transport.open({ ...call, signal }),
      signal: abortSignal ?? new AbortController().signal,
    });
    return (await stream.open()) ?? null;
  };

  /**
   * Ends the turn of a chat, also one that waits for an approval; its stream says so. `stop` of `useChat` closes
   * the stream alone.
   *
   * @returns undefined where nothing ran.
   */
  async stop(chatId: string): Promise<{ turnId: string; state: CancelState } | undefined> {
    const call = { method: 'POST', path: `${pathOf(chatId)}/stop` } as const;
    return this.#transport.json<{ turnId: string; state: CancelState }>(call).catch(unlessNone);
  }

  /** The last messages of a chat, or those before a page; of a chat that has not begun, none. */
  async history(
    chatId: string,
    page: { before?: string; limit?: number } = {},
  ): Promise<ChatHistory<Message>> {
    const call = { path: pathOf(chatId), query: page, headers: this.#version.version };
    const read = await this.#transport.json<ChatHistory<Message>>(call).catch(unlessNone);
    const found = read ?? { messages: [], activeTurnId: null };
    if (page.before === undefined) {
      if (found.activeTurnId === null) this.#unread.delete(chatId);
      else this.#unread.set(chatId, found.activeTurnId);
    }
    return found;
  }

  /** The chats of the key's owner, the one used last first. */
  chats(page: Page = {}): Promise<{ chats: ListedChat[]; nextCursor?: string }> {
    const { cursor, limit } = page;
    return this.#transport.json({ path: '/api/chats', query: { cursor, limit } });
  }
}

function pathOf(chatId: string): string {
  return route`/api/chat/${chatId}`;
}

/**
 * The server keeps the conversation: it takes what follows the last answer, or the answers in that, and what the
 * application says.
 */
function lastMessages<Message extends UIMessage>(messages: readonly Message[]): Message[] {
  let from = messages.length;
  while (from > 0 && messages[from - 1]?.role !== 'assistant') from -= 1;
  const first = from === messages.length ? messages.length - 1 : from;
  return messages.filter(({ role }, index) => index >= first || role === 'system');
}

function plain(headers: Headers | Record<string, string> | undefined): Record<string, string> {
  return headers instanceof Headers ? Object.fromEntries(headers.entries()) : { ...headers };
}

function unlessNone(error: unknown): undefined {
  if (error instanceof TurnpikeError && error.code === 'SESSION_NOT_FOUND') return undefined;
  throw error;
}
