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
 * The answer of a streaming route as a stream. Not an Observable itself, which the framework would flatten: it would
 * keep eight operators subscribed for each open stream, and all that it knows of the request.
 */
export class FrameStream {
  constructor(readonly batches: Observable<FrameBatch>) {}
}

/** The answer of a streaming route in one piece, as JSON, with the response's own status. */
export class WholeAnswer {
  constructor(readonly body: object) {}
}

/** Takes an item. @returns whether it was enough, now or once there is room for more. */
type Take<Item> = (item: Item) => boolean | Promise<boolean>;

/** The source of a stream: items, and their frames as they go out. */
export interface FrameSource<Item> {
  /** Hands on the items, until one was enough. @param signal aborts when the reader has left. */
  follow(signal: AbortSignal, take: Take<Item>): Promise<void>;
  texts(item: Item): Iterable<string>;
  /** Whether the stream ends here, though items may follow. */
  isOver(): boolean;
}

const nothing = (): void => undefined;

/** A stream of texts of frames. See `streamFrames`. */
export function streamTexts(
  textsUntil: (left: AbortSignal) => AsyncIterable<string>,
  options?: { mayBeEmpty?: boolean },
): FrameStream {
  const follow = handOn(textsUntil);
  return streamFrames({ follow, texts: (text) => [text], isOver: () => false }, options);
}

/** Hands on items that are made one by one: the next when there is room for it. */
export function handOn<Item>(
  itemsUntil: (left: AbortSignal) => AsyncIterable<Item>,
): FrameSource<Item>['follow'] {
  return async (signal, take) => {
    for await (const item of itemsUntil(signal)) if (await take(item)) return;
  };
}

/**
 * A stream of frames at its reader's pace, each text one batch. The first batch comes at once and is empty.
 * The source is followed when that one has drained: a subscriber that left before never was a reader.
 */
export function streamFrames<Item>(
  source: FrameSource<Item>,
  { mayBeEmpty = false }: { mayBeEmpty?: boolean } = {},
): FrameStream {
  const batches = new Observable<FrameBatch>((subscriber) => {
    const left = new AbortController();
    let isDrained = false;
    // Read for each text: V8 gives each signal a hidden class of its own, and looks its properties up anew.
    let isLeft = false;
    let goOn = nothing;
    const onDrained = (): void => {
      isDrained = true;
      goOn();
    };
    /** @returns whether there is room; `false` where the subscriber left before. */
    const hasDrained = (): Promise<boolean> =>
      new Promise((resolve) => {
        goOn = () => {
          goOn = nothing;
          resolve(isDrained);
        };
        if (isDrained || isLeft) goOn();
      });
    /** Sends texts. @returns whether they are the last, once there is room for more. */
    const send = (texts: Iterator<string>): boolean | Promise<boolean> => {
      for (let text = texts.next(); text.done !== true; text = texts.next()) {
        if (isLeft) return true;
        isDrained = false;
        subscriber.next({ text: text.value, onDrained });
        // Mostly drained at once: a promise for each batch would cost more than the batch.
        if (!isDrained) return hasDrained().then((hasRoom) => !hasRoom || send(texts));
      }
      return isLeft || source.isOver();
    };
    const run = async (): Promise<void> => {
      subscriber.next({ text: '', mayBeEmpty, onDrained });
      if (!(await hasDrained())) return;
      await source.follow(left.signal, (item) => send(source.texts(item)[Symbol.iterator]()));
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
      isLeft = true;
      left.abort();
      goOn();
    };
  });
  return new FrameStream(batches);
}
