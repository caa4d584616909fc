import { createParser } from 'eventsource-parser';
import { isAside, type ReadFrame } from './read-stream.js';

/** Milliseconds between two connections, for which pages wait seconds. */
const RECONNECT_MS = 50;
/** Connections in a row without a frame after which a test gives up. */
const MAX_EMPTY_PAGES = 400;

/**
 * A stream as a page's `EventSource` reads it (HTML, section 9.2): a connection that ends or breaks
 * is made again after the last id, until the limit is reached; an answer other than 200 ends it.
 */
export class PageEvents {
  readonly frames: ReadFrame[] = [];
  /** The status of each connection; 0 where none was made. */
  readonly statuses: number[] = [];
  /** Settles with the status that ended the stream; rejects where nothing does. */
  readonly closed: Promise<number>;
  #lastEventId = '';

  constructor(private readonly url: string) {
    this.closed = this.#read();
    this.closed.catch(() => undefined);
  }

  async #read(): Promise<number> {
    for (let empty = 0; empty < MAX_EMPTY_PAGES;) {
      const before = this.frames.length;
      const status = await this.#connect();
      this.statuses.push(status);
      if (status !== 200 && status !== 0) return status;
      empty = this.frames.length === before ? empty + 1 : 0;
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
    }
    throw new Error(`${this.url} was asked ${MAX_EMPTY_PAGES} times in a row, and gave nothing`);
  }

  async #connect(): Promise<number> {
    const headers: Record<string, string> =
      this.#lastEventId === '' ? {} : { 'last-event-id': this.#lastEventId };
    const response = await fetch(this.url, { headers }).catch(() => undefined);
    if (response === undefined || response.status !== 200) return response?.status ?? 0;
    const parser = createParser({
      onEvent: ({ id, event, data }) => {
        this.#lastEventId = id ?? this.#lastEventId;
        const read = JSON.parse(data) as Record<string, unknown>;
        const frame = { event: event ?? 'message', data: read };
        if (isAside({ ...frame, id: id ?? '' })) return;
        this.frames.push({ ...frame, id: this.#lastEventId });
      },
    });
    const decoder = new TextDecoder();
    try {
      for await (const bytes of response.body ?? []) {
        parser.feed(decoder.decode(bytes as Uint8Array, { stream: true }));
      }
    } catch {
      // A broken connection is made again, as an ended one is.
    }
    return 200;
  }
}
