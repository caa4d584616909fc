import type { UIMessageChunk } from 'ai';
import { ConnectionLostError, isFinal, TurnpikeError } from './transport/client-errors.js';
import { receiveFrames, StallSignal } from './transport/receive-frames.js';
import { RetryPolicy } from './transport/retry-policy.js';
import { route, type Transport } from './transport/transport.js';

export interface ChatReading {
  chatId: string;
  /** The header that names the version, for each request: frames of two versions do not mix. */
  version: Readonly<Record<string, string>>;
  /** Whether the version has `reset-step`. */
  takesBack: boolean;
  /** Sends the request that the stream answers; sent again where no frame of the answer came. */
  open(signal: AbortSignal): Promise<Response>;
  /** Ends the reading. The turn goes on. */
  signal: AbortSignal;
  /** Ids of turns by their chats': each is here until its stream was read to its end, or to where it waits. */
  unread: Map<string, string>;
}

/** `useChat` reads no further than an error. */
const endsAnswer: ReadonlySet<string> = new Set(['finish', 'abort', 'error']);

interface Connection {
  response: Response;
  stallSignal: StallSignal;
}

/**
 * The stream of a chat's answer, over as many connections as it takes: each goes on after the last frame that
 * came, so that nothing is lost and nothing comes twice.
 */
export class ChatStream {
  readonly #retryPolicy: RetryPolicy;
  /** Aborts with the reading's signal, and when the stream is cancelled. */
  readonly #left = new AbortController();
  readonly #follow: () => void;
  readonly #openStep: OpenStep | undefined;
  #lastEventId: string | undefined;
  #turnId: string | undefined;

  constructor(
    private readonly transport: Transport,
    private readonly reading: ChatReading,
  ) {
    const { signal } = reading;
    if (reading.takesBack) this.#openStep = new OpenStep();
    this.#retryPolicy = new RetryPolicy(transport, this.#left.signal);
    this.#follow = () => this.#left.abort(signal.reason);
    if (signal.aborted) this.#follow();
    signal.addEventListener('abort', this.#follow, { once: true });
  }

  /**
   * Connects, with as many tries as it takes.
   *
   * @returns undefined where there is nothing to stream.
   * @throws TurnpikeError for a refusal; ConnectionLostError; the signal's reason.
   */
  async open(): Promise<ReadableStream<UIMessageChunk> | undefined> {
    const first = await this.#connect();
    if (first === undefined) return undefined;
    const chunks = this.#chunks(first);
    return new ReadableStream({
      pull: async (controller) => {
        const { done, value } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => this.#left.abort(reason),
    });
  }

  async *#chunks(first: Connection): AsyncGenerator<UIMessageChunk, void, undefined> {
    const { signal } = this.#left;
    let connection: Connection | undefined = first;
    while (connection !== undefined) {
      const { response, stallSignal } = connection;
      let cause: unknown;
      try {
        if (response.body === null) throw new Error('The answer has no body');
        for await (const frames of receiveFrames(response.body, stallSignal)) {
          this.#retryPolicy.recordContact();
          for (const { id, data } of frames) {
            if (data === '[DONE]') return;
            // The server writes them.
            const chunk = JSON.parse(data) as UIMessageChunk;
            this.#retryPolicy.recordProgress();
            // The stream goes on after the last frame, with another token.
            if (chunk.type === 'data-reauthenticate') continue;
            // What is said of the moment has no id.
            if (id !== '') this.#lastEventId = id;
            if (endsAnswer.has(chunk.type)) this.#recordEnd();
            for (const one of this.#openStep?.follow(chunk) ?? []) yield one as UIMessageChunk;
            yield chunk;
          }
        }
      } catch (error) {
        signal.throwIfAborted();
        cause = error;
      } finally {
        stallSignal.close();
      }
      await this.#wait(cause);
      connection = await this.#connect();
    }
  }

  async #connect(): Promise<Connection | undefined> {
    const { transport } = this;
    const { open, chatId, version, unread } = this.reading;
    const { signal } = this.#left;
    const path = route`/api/chat/${chatId}/stream`;
    for (;;) {
      const stallSignal = new StallSignal(transport, signal);
      const headers = { ...version, 'last-event-id': this.#lastEventId ?? '' };
      const opening =
        this.#lastEventId === undefined
          ? open(stallSignal.signal)
          : transport.open({ path, headers, signal: stallSignal.signal });
      try {
        const response = await stallSignal.guard(opening);
        if (response.status !== 204) {
          this.#turnId = response.headers.get('x-turn-id') ?? undefined;
          if (this.#turnId !== undefined) unread.set(chatId, this.#turnId);
          return { response, stallSignal };
        }
        stallSignal.close();
        return undefined;
      } catch (error) {
        stallSignal.close();
        signal.throwIfAborted();
        if (isFinal(error) || this.#isRefused(error)) throw error;
        await this.#wait(error);
      }
    }
  }

  /** A later turn of the chat may be unread. */
  #recordEnd(): void {
    const { unread, chatId } = this.reading;
    if (unread.get(chatId) === this.#turnId) unread.delete(chatId);
  }

  /** Whether the server refused the request; the page shows the refusal, rather than wait behind it. */
  #isRefused(error: unknown): boolean {
    const hasBegun = this.#lastEventId !== undefined;
    return !hasBegun && error instanceof TurnpikeError && error.status < 500;
  }

  #wait(cause: unknown): Promise<void> {
    const { url, maxSilenceMs } = this.transport;
    // `useChat` of version 7 resumes after an error that speaks of the network.
    const message = `The network or the server at ${url} gave no sign of life for ${Math.round(maxSilenceMs / 1_000)} s. The answer may go on: come back to the chat for it.`;
    return this.#retryPolicy.wait(cause, () => new ConnectionLostError(message, { url, cause }));
  }
}

/** A chunk of any major, as far as a step depends on it. */
interface Chunk {
  type: string;
  transient?: boolean | undefined;
  messageMetadata?: unknown;
}

/**
 * The step that a message of version 7 has open. A server that dies may lose what it had sent of a step: its successor
 * takes the step back, and cannot know that a client has it.
 */
class OpenStep {
  /** Data parts that came in the step; undefined: none is open. */
  #data: Chunk[] | undefined;

  /** @returns chunks that go before this one: they take back a step that the server does not know of. */
  follow(chunk: Chunk): readonly Chunk[] {
    const { type, transient, messageMetadata } = chunk;
    if (type === 'start-step') this.#data = [];
    if (type === 'finish-step' || type === 'start') this.#data = undefined;
    // The turn's object is void with its step; other data is about the turn.
    if (type.startsWith('data-') && type !== 'data-output' && transient !== true) {
      this.#data?.push(chunk);
    }
    const data = this.#data;
    const isTakenBack =
      type === 'message-metadata' && Object.hasOwn(Object(messageMetadata), 'discarded');
    if (!isTakenBack || data === undefined) return [];
    this.#data = undefined;
    return [{ type: 'reset-step' }, ...data];
  }
}
