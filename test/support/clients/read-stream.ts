import { createParser } from 'eventsource-parser';

export interface ReadFrame {
  id: string;
  event: string;
  // Data is untyped JSON: the tests look into it field by field.
  data: Record<string, unknown>;
}

/** What a stream says beside the turn's events, of the connection or of the moment, by its name on each wire. */
const ASIDES = new Set<unknown>(['session:reauthenticate', 'turn:stalled', 'data-stalled']);

/** Whether a frame, with the id that it brings itself, is no event of the turn: it comes to one reader, once. */
export const isAside = ({ id, event, data }: ReadFrame): boolean =>
  id === '' && [event, data['type'], data['name']].some((name) => ASIDES.has(name));

/** A stream as a client sees it, through a parser that is not ours. */
export class StreamReader {
  /** The turn's events, without what is said beside them. */
  readonly frames: ReadFrame[] = [];
  readonly asides: ReadFrame[] = [];
  readonly comments: string[] = [];
  /** Settles when the server ends the stream; rejects when the connection breaks. */
  readonly ended: Promise<void>;
  #waiters: { matches: (frame: ReadFrame) => boolean; resolve: (frame: ReadFrame) => void }[] = [];

  constructor(
    readonly response: Response,
    private readonly connection: AbortController,
  ) {
    this.ended = this.#read();
    // A rejection reaches those who wait for a frame; an unread end is no fault of the test.
    this.ended.catch(() => undefined);
  }

  /**
   * The first frame that matches, already here or still to come. Rejects if the stream ends before.
   */
  async until(matches: string | ((frame: ReadFrame) => boolean)): Promise<ReadFrame> {
    const test = typeof matches === 'string' ? (f: ReadFrame) => f.event === matches : matches;
    const found = this.frames.find(test) ?? this.asides.find(test);
    if (found !== undefined) return found;
    const coming = new Promise<ReadFrame>((resolve) => {
      this.#waiters.push({ matches: test, resolve });
    });
    const over = this.ended.then(() => {
      throw new Error(`The stream ended without it; it had ${this.names().join(', ')}`);
    });
    return Promise.race([coming, over]);
  }

  /** Every event of the turn, once the server has ended the stream. */
  async all(): Promise<ReadFrame[]> {
    await this.ended;
    return this.frames;
  }

  names(): string[] {
    return this.frames.map((frame) => frame.event);
  }

  text(): string {
    return this.frames
      .filter((frame) => frame.event === 'chat:delta')
      .map((frame) => String(frame.data['text']))
      .join('');
  }

  header(name: string): string {
    return this.response.headers.get(name) ?? '';
  }

  /** Breaks the connection, as a client that goes away. */
  leave(): void {
    this.connection.abort();
  }

  async #read(): Promise<void> {
    const parser = createParser({
      onEvent: ({ id, event, data }) =>
        this.#take({
          id: id ?? '',
          event: event ?? '',
          // The last frame of some wires is no JSON.
          data: data === '[DONE]' ? {} : (JSON.parse(data) as Record<string, unknown>),
        }),
      onComment: (comment) => this.comments.push(comment),
    });
    const decoder = new TextDecoder();
    if (this.response.body === null) return;
    for await (const chunk of this.response.body) {
      parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }));
    }
  }

  #take(frame: ReadFrame): void {
    (isAside(frame) ? this.asides : this.frames).push(frame);
    for (const waiter of this.#waiters.filter((w) => w.matches(frame))) waiter.resolve(frame);
    this.#waiters = this.#waiters.filter((waiter) => !waiter.matches(frame));
  }
}
