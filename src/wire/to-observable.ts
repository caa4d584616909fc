import { Observable } from 'rxjs';
import type { Clock } from '../platform/clock.js';
import type { TurnEvent } from '../events/turn-event.js';
import type { PlacedFrame } from './encode-turn.js';
import { keepalive, toSseMessage, type SseMessage } from './sse-frame.js';

export const KEEPALIVE_MS = 15_000;

/**
 * One reader's stream: batches of events in, SSE messages out, a comment after every 15 s of
 * silence. Unsubscribing aborts the signal that `follow` was given; the turn is not touched.
 */
export function toObservable(
  follow: (signal: AbortSignal) => AsyncIterable<readonly TurnEvent[]>,
  encode: (event: TurnEvent) => PlacedFrame[],
  clock: Clock,
): Observable<SseMessage> {
  return new Observable((subscriber) => {
    const gone = new AbortController();
    let lastFrameAt = clock.now();
    let cancelTimer = (): void => undefined;
    const watchSilence = (): void => {
      const silentMs = clock.now() - lastFrameAt;
      if (silentMs >= KEEPALIVE_MS) {
        subscriber.next(keepalive);
        lastFrameAt = clock.now();
      }
      // One timer a reader, set anew when it fires: a frame costs a timestamp, not a timer.
      cancelTimer = clock.after(KEEPALIVE_MS - (clock.now() - lastFrameAt), watchSilence);
    };
    const pump = async (): Promise<void> => {
      for await (const batch of follow(gone.signal)) {
        for (const event of batch) {
          for (const frame of encode(event)) subscriber.next(toSseMessage(frame));
        }
        lastFrameAt = clock.now();
      }
    };
    watchSilence();
    pump().then(
      () => subscriber.complete(),
      (error: unknown) => {
        if (!gone.signal.aborted) subscriber.error(error);
      },
    );
    return () => {
      cancelTimer();
      gone.abort();
    };
  });
}
