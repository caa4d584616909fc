import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../platform/clock.js';

/** Where a stream's frames go: tells when its client does not keep up. */
export interface Sink {
  /** Resolves when what was sent so far has left for the client; at once for one that keeps up. */
  drained(): Promise<void>;
}

/**
 * The sink of an HTTP response. A client that takes nothing for `deadlineMs` loses its connection,
 * and resumes by cursor when it comes back.
 */
export function responseSink(response: ServerResponse, clock: Clock, deadlineMs: number): Sink {
  return {
    drained: async () => {
      // The framework writes message by message: one turn of the loop moves what it holds.
      await nextTurn();
      while (response.writableNeedDrain && !response.destroyed) {
        await drainOrDrop(response, clock, deadlineMs);
        await nextTurn();
      }
    },
  };
}

function drainOrDrop(response: ServerResponse, clock: Clock, deadlineMs: number): Promise<void> {
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
