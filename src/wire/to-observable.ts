import { Observable } from 'rxjs';
import type { TurnEvent } from '../events/turn-event.js';
import type { Clock } from '../platform/clock.js';
import type { PlacedFrame } from './encode-turn.js';
import type { Sink } from './response-sink.js';
import { keepalive, toSseMessage, type SseMessage } from './sse-frame.js';

export const KEEPALIVE_MS = 15_000;

/** Characters that go out before the reader is asked whether it keeps up. */
const BURST_LENGTH = 256 * 1024;

export interface TurnStream {
  /** Follows the turn until its end, or until the signal aborts. */
  follow(signal: AbortSignal): AsyncIterable<readonly TurnEvent[]>;
  encode(event: TurnEvent): PlacedFrame[];
  sink: Sink;
  clock: Clock;
}

/**
 * One reader's stream: batches of events in, SSE messages out, a comment after every 15 s of
 * silence. A long replay goes out as fast as the reader takes it, not faster: an Observable cannot
 * be paused, and the framework drops a reader for whom too much waits. Unsubscribing aborts the
 * signal that `follow` was given; the turn is not touched. An error before the first frame is the
 * Observable's; one after it ends the connection.
 */
export function toObservable({ follow, encode, sink, clock }: TurnStream): Observable<SseMessage> {
  return new Observable((subscriber) => {
    const gone = new AbortController();
    let lastFrameAt = clock.now();
    let burst = 0;
    let cancelTimer = (): void => undefined;
    const watchSilence = (): void => {
      if (clock.now() - lastFrameAt >= KEEPALIVE_MS) {
        subscriber.next(keepalive);
        lastFrameAt = clock.now();
      }
      // One timer a reader, set anew when it fires: a frame costs a timestamp, not a timer.
      cancelTimer = clock.after(KEEPALIVE_MS - (clock.now() - lastFrameAt), watchSilence);
    };
    const send = (event: TurnEvent): void => {
      for (const frame of encode(event)) {
        burst += frame.data.length;
        subscriber.next(toSseMessage(frame));
      }
      lastFrameAt = clock.now();
    };
    const pump = async (): Promise<void> => {
      for await (const batch of follow(gone.signal)) {
        sink.gather();
        for (const event of batch) {
          send(event);
          if (burst < BURST_LENGTH) continue;
          burst = 0;
          await sink.drained();
          if (gone.signal.aborted) return;
        }
      }
    };
    watchSilence();
    pump().then(
      () => subscriber.complete(),
      (error: unknown) => {
        if (!gone.signal.aborted && !sink.drop(error)) subscriber.error(error);
      },
    );
    return () => {
      cancelTimer();
      gone.abort();
    };
  });
}
