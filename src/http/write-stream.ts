import type { ServerResponse } from 'node:http';
import { Subscription, type Observable } from 'rxjs';
import type { Logger } from '../platform/logger.js';
import { WholeAnswer, type FrameBatch } from './frame-batch.js';
import { SseWriter, type SseWriterDeps } from './sse-writer.js';

export interface WriteStreamDeps extends SseWriterDeps {
  logger: Logger;
}

/**
 * Writes one reader's stream, each batch as one write. A long replay goes out as fast as the reader takes
 * it, not faster. Resolves when the stream is over, also when its client left: the batches are unsubscribed
 * from then. Where no batch comes at all, the answer is 204. A whole answer is written as it is.
 *
 * @throws an error of the batches while nothing was written: the error can still be the answer. A later
 *   error ends the connection, as a frame for it would have no cursor for an id.
 */
export function writeStream(
  response: ServerResponse,
  batches: Observable<FrameBatch | WholeAnswer>,
  deps: WriteStreamDeps,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const subscription = new Subscription();
    let writer: SseWriter | undefined;
    const finish = (): void => {
      response.off('close', finish);
      writer?.stop();
      subscription.unsubscribe();
      resolve();
    };
    const fail = (error: unknown): void => {
      if (response.headersSent) {
        deps.logger.error({ error }, 'a stream broke');
        response.destroy();
      } else reject(error);
      finish();
    };
    const open = ({ mayBeEmpty = false, onDrained }: FrameBatch): void => {
      // A client that left before the stream began is a reader that came and went, for whoever counts.
      if (response.destroyed) {
        onDrained();
        return finish();
      }
      writer = new SseWriter(response, deps, { opensAtOnce: !mayBeEmpty });
      response.once('close', finish);
      if (response.req.method !== 'HEAD') return onDrained();
      // An answer to HEAD is its headers.
      writer.end();
      finish();
    };
    const answer = ({ body }: WholeAnswer): void => {
      const headers = { 'Content-Type': 'application/json; charset=utf-8' };
      response.writeHead(response.statusCode, headers).end(JSON.stringify(body));
    };
    const complete = (): void => {
      if (response.headersSent && writer === undefined) return finish();
      if (writer === undefined) response.writeHead(204).end();
      else writer.end();
      finish();
    };
    const next = (batch: FrameBatch | WholeAnswer): void => {
      if (batch instanceof WholeAnswer) answer(batch);
      else if (writer === undefined) open(batch);
      else writer.write(batch.text, batch.onDrained);
    };
    // The first batch comes before `subscribe` has returned.
    subscription.add(batches.subscribe({ next, error: fail, complete }));
  });
}
