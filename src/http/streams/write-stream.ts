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
    const subscription = new Subscription();
    let writer: SseWriter | undefined;
    let hasCome = false;
    let close: ReturnType<WriteStreamDeps['onOpen']> = () => undefined;
    let unwatch = (): void => undefined;
    const finish = (dropped?: DropReason): void => {
      unwatch();
      response.off('close', leave);
      writer?.stop();
      subscription.unsubscribe();
      close(dropped);
      resolve(hasCome);
    };
    const leave = (): void => finish(writer?.isTooSlow === true ? 'slow' : 'client');
    const fail = (error: unknown): void => {
      if (response.headersSent) {
        requestLogger(deps.logger, response.req).error(
          { error },
          'a stream failed and was closed; its client can resume after the last event that it received',
        );
        if (writer !== undefined) writer.isBroken = true;
        response.destroy();
      } else reject(error);
      finish('error');
    };
    const complete = (): void => {
      writer?.end();
      finish();
    };
    const open = ({ mayBeEmpty = false, onDrained }: FrameBatch): void => {
      close = deps.onOpen();
      // A client that left before the stream began counts as a reader that came and went.
      if (response.destroyed) {
        onDrained();
        return finish('client');
      }
      writer = new SseWriter(response, deps, { opensAtOnce: !mayBeEmpty, onHead: deps.onHead });
      noteStream(response.req, writer);
      response.once('close', leave);
      if (response.req.method !== 'HEAD') {
        const { watch } = deps;
        if (watch !== undefined) {
          const tell = (frame: string): void => writer?.tell(frame);
          const end = (frame: string): void => {
            tell(frame);
            complete();
          };
          unwatch = watch({ tell, end });
        }
        return onDrained();
      }
      // An answer to HEAD is its headers.
      writer.end();
      finish();
    };
    const next = (batch: FrameBatch): void => {
      hasCome = true;
      if (writer === undefined) open(batch);
      else writer.write(batch.text, batch.onDrained);
    };
    // The first batch comes before `subscribe` has returned.
    subscription.add(batches.subscribe({ next, error: fail, complete }));
  });
}

/** Chunks of 64 KiB that are received in one turn of the event loop: they take a few milliseconds. */
const MOST = 8;

/** Share of the event loop for all files of the process together. */
export const chunkShare = new LoopShare(MOST);
