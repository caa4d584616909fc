import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../platform/clock.js';
import type { Logger } from '../platform/logger.js';

/** Where a stream's frames go. */
export interface Sink {
  /** What is sent until the loop's next turn leaves in one write. */
  gather(): void;
  /** Resolves when what was sent so far has left for the client; at once for one that keeps up. */
  drained(): Promise<void>;
  /**
   * Ends a stream that broke. False, and nothing done, when no frame has left: the error can still
   * be the answer.
   */
  drop(error: unknown): boolean;
}

export interface ResponseSinkDeps {
  clock: Clock;
  logger: Logger;
  /** Milliseconds for which a client may take nothing. */
  deadlineMs: number;
}

/**
 * The sink of an HTTP response. A client that takes nothing for `deadlineMs` loses its connection,
 * and so does the client of a stream that broke; it resumes by cursor when it comes back.
 */
export function responseSink(response: ServerResponse, deps: ResponseSinkDeps): Sink {
  let isGathering = false;
  return {
    gather: () => {
      if (isGathering) return;
      isGathering = true;
      response.cork();
      setImmediate(() => {
        isGathering = false;
        response.uncork();
      });
    },
    drained: async () => {
      // The framework writes message by message: one turn of the loop moves what it holds.
      await nextTurn();
      while (response.writableNeedDrain && !response.destroyed) {
        await drainOrDrop(response, deps);
        await nextTurn();
      }
    },
    drop: (error) => {
      if (!response.headersSent) return false;
      deps.logger.error({ error }, 'a stream broke');
      // The framework would tell the error in a frame of its own, whose id is no cursor.
      response.destroy();
      return true;
    },
  };
}

function drainOrDrop(
  response: ServerResponse,
  { clock, deadlineMs }: ResponseSinkDeps,
): Promise<void> {
  return new Promise((resolve) => {
    const cancelTimer = clock.after(deadlineMs, () => response.destroy());
    const settle = (): void => {
      cancelTimer();
      response.off('drain', settle);
      response.off('close', settle);
      resolve();
    };
    response.once('drain', settle);
    response.once('close', settle);
  });
}
