import type { ServerResponse } from 'node:http';
import { Subscription } from 'rxjs';
import type { Logger } from '../../platform/logger.js';
import { noteStream, requestLogger } from '../request-record.js';
import { LoopShare } from '../../platform/async/batcher.js';
import type { FrameBatch, FrameStream } from './frame-batch.js';
import { SseWriter, type SseWriterDeps } from './sse-writer.js';

/** Why a stream ended before what it shows: its client left or was too slow, or its source failed. */
export type DropReason = 'client' | 'slow' | 'error';

/** What may be written beside the batches, each a whole frame without an id. */
export interface StreamSays {
  tell(frame: string): void;
  /** Ends the stream, with a last frame. */
  end(frame: string): void;
}

export interface WriteStreamDeps extends SseWriterDeps {
  logger: Logger;
  /** Called when the first batch has come. @returns what to call, once, when the stream is over. */
  onOpen(): (dropped?: DropReason) => void;
  /** Called when the stream is open. @returns what to call when the stream is over. */
  watch?(says: StreamSays): () => void;
  /** Called when the head is sent: no error can be the answer any more. */
  onHead?(): void;
}

/**
 * Writes one reader's stream, each batch as one write. A long replay goes out as fast as the reader takes
 * it, not faster. Resolves when the stream is over, also when its client left: the batches are unsubscribed
 * from then.
 *
 * @returns whether a batch came. Where none did, nothing is written.
 *
 * @throws an error of the batches while nothing was written: the error can still be the answer. A later
 *   error ends the connection, as a frame for it would have no cursor for an id.
 */
export function writeStream(
  response: ServerResponse,
  { batches }: FrameStream,
  deps: WriteStreamDeps,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    new OpenStream(response, deps, { resolve, reject }).follow(batches);
  });
}

/** One reader's stream, from the first batch to its end. */
class OpenStream {
  readonly #subscription = new Subscription();
  #writer: SseWriter | undefined;
  #hasCome = false;
  #close: ReturnType<WriteStreamDeps['onOpen']> = () => undefined;
  #unwatch = (): void => undefined;
  readonly #leave = (): void => this.#finish(this.#writer?.isTooSlow === true ? 'slow' : 'client');

  constructor(
    private readonly response: ServerResponse,
    private readonly deps: WriteStreamDeps,
    private readonly over: { resolve(hasCome: boolean): void; reject(error: unknown): void },
  ) {}

  /** The first batch comes before `subscribe` has returned. */
  follow(batches: FrameStream['batches']): void {
    this.#subscription.add(
      batches.subscribe({
        next: (batch) => this.#next(batch),
        error: (error: unknown) => this.#fail(error),
        complete: () => this.#complete(),
      }),
    );
  }

  #next(batch: FrameBatch): void {
    this.#hasCome = true;
    if (this.#writer === undefined) this.#open(batch);
    else this.#writer.write(batch.text, batch.onDrained);
  }

  #open({ mayBeEmpty = false, onDrained }: FrameBatch): void {
    const { response, deps } = this;
    this.#close = deps.onOpen();
    // A client that left before the stream began counts as a reader that came and went.
    if (response.destroyed) {
      onDrained();
      return this.#finish('client');
    }
    this.#writer = new SseWriter(response, deps, {
      opensAtOnce: !mayBeEmpty,
      onHead: deps.onHead,
    });
    noteStream(response.req, this.#writer);
    response.once('close', this.#leave);
    // An answer to HEAD is its headers.
    if (response.req.method === 'HEAD') return this.#complete();
    this.#watch(this.#writer);
    onDrained();
  }

  #watch(writer: SseWriter): void {
    const tell = (frame: string): void => writer.tell(frame);
    const end = (frame: string): void => {
      tell(frame);
      this.#complete();
    };
    const unwatch = this.deps.watch?.({ tell, end });
    if (unwatch !== undefined) this.#unwatch = unwatch;
  }

  #complete(): void {
    this.#writer?.end();
    this.#finish();
  }

  #fail(error: unknown): void {
    const { response } = this;
    if (response.headersSent) {
      requestLogger(this.deps.logger, response.req).error(
        { error },
        'a stream failed and was closed; its client can resume after the last event that it received',
      );
      if (this.#writer !== undefined) this.#writer.isBroken = true;
      response.destroy();
    } else this.over.reject(error);
    this.#finish('error');
  }

  #finish(dropped?: DropReason): void {
    this.#unwatch();
    this.response.off('close', this.#leave);
    this.#writer?.stop();
    this.#subscription.unsubscribe();
    this.#close(dropped);
    this.over.resolve(this.#hasCome);
  }
}

/** Chunks of 64 KiB that are received in one turn of the event loop: they take a few milliseconds. */
const MOST = 8;

/** Share of the event loop for all files of the process together. */
export const chunkShare = new LoopShare(MOST);
