import { Observable } from 'rxjs';

/**
 * A batch of frames, written at once. An Observable cannot be paused: in its place, a source of
 * batches makes the next batch only after `onDrained`.
 */
export interface FrameBatch {
  /** Frames as they go out. Empty in the first batch, after which the source begins. */
  text: string;
  /** First batch only: whether no frame may follow, so that the head waits for one. Default: false. */
  mayBeEmpty?: boolean;
  /** Called once the reader has room for another batch. */
  onDrained: () => void;
}

/**
 * A stream of frames at its reader's pace. The first batch comes at once and is empty. `makeTexts` is called
 * when that one has drained: a subscriber that left before never was a reader.
 *
 * @param makeTexts the frames, each text one batch; its signal aborts when the subscriber has left.
 */
export function streamFrames(
  makeTexts: (signal: AbortSignal) => AsyncIterable<string>,
  { mayBeEmpty = false }: { mayBeEmpty?: boolean } = {},
): Observable<FrameBatch> {
  return new Observable((subscriber) => {
    const left = new AbortController();
    let leave = (): void => undefined;
    type Outcome = 'drained' | 'left';
    /** Mostly drained at once: a promise for each batch would cost more than the batch. */
    const offer = (batch: Omit<FrameBatch, 'onDrained'>): Outcome | Promise<Outcome> => {
      let isDrained = false;
      let onDrained = (): void => void (isDrained = true);
      subscriber.next({ ...batch, onDrained: () => onDrained() });
      if (isDrained) return 'drained';
      return new Promise((resolve) => {
        onDrained = () => resolve('drained');
        leave = () => resolve('left');
        if (left.signal.aborted) leave();
      });
    };
    const run = async (): Promise<void> => {
      if ((await offer({ text: '', mayBeEmpty })) === 'left') return;
      for await (const text of makeTexts(left.signal)) {
        if (left.signal.aborted) return;
        const outcome = offer({ text });
        if ((typeof outcome === 'string' ? outcome : await outcome) === 'left') return;
      }
    };
    let isRunning = true;
    run()
      .finally(() => (isRunning = false))
      .then(
        () => subscriber.complete(),
        (error: unknown) => subscriber.error(error),
      );
    return () => {
      if (!isRunning) return;
      left.abort();
      leave();
    };
  });
}
