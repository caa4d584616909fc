import { Observable, type Subscriber } from 'rxjs';
import type { Asides } from './aside.js';

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
  /** @param asides what is said beside the batches. Absent: nothing. */
  constructor(
    readonly batches: Observable<FrameBatch>,
    readonly asides?: Asides,
  ) {}
}

/** The answer of a streaming route in one piece, as JSON, with the response's own status. */
export class WholeAnswer {
  constructor(readonly body: object) {}
}

/** Takes an item. @returns whether it was enough, now or once there is room for more. */
type Take<Item> = (item: Item) => boolean | Promise<boolean>;

/** Hands on items, until one was enough. @param left aborts when the reader has left. */
type Follow<Item> = (left: AbortSignal, take: Take<Item>) => Promise<void>;

/** Makes the frames of items, as they go out. */
export interface FrameEncoder<Item> {
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
  const plain = { texts: (text: string) => [text], isOver: () => false };
  return streamFrames(followItems(textsUntil), plain, options);
}

/** Hands on items that are made one by one: the next when there is room for it. */
export function followItems<Item>(
  itemsUntil: (left: AbortSignal) => AsyncIterable<Item>,
): Follow<Item> {
  return async (left, take) => {
    for await (const item of itemsUntil(left)) if (await take(item)) return;
  };
}

/**
 * A stream of frames at its reader's pace, each text one batch. The first batch comes at once and is empty.
 * The source is followed when that one has drained: a subscriber that left before never was a reader.
 */
export function streamFrames<Item>(
  follow: Follow<Item>,
  encoder: FrameEncoder<Item>,
  { mayBeEmpty = false, asides }: { mayBeEmpty?: boolean; asides?: Asides | undefined } = {},
): FrameStream {
  const batches = new Observable<FrameBatch>((subscriber) => {
    const sending = new Sending(subscriber, follow, encoder);
    void sending.run(mayBeEmpty);
    return () => sending.leave();
  });
  return new FrameStream(batches, asides);
}

/** The batches of one subscriber. A class: functions of its own for each reader would be cold at each batch. */
class Sending<Item> {
  #isDrained = false;
  /** A field beside the signal: V8 gives each signal a hidden class of its own, and looks its properties up anew. */
  #hasLeft = false;
  #isOver = false;
  #goOn = nothing;
  readonly #left = new AbortController();
  readonly #onDrained = (): void => {
    this.#isDrained = true;
    this.#goOn();
  };

  constructor(
    private readonly subscriber: Subscriber<FrameBatch>,
    private readonly follow: Follow<Item>,
    private readonly encoder: FrameEncoder<Item>,
  ) {}

  async run(mayBeEmpty: boolean): Promise<void> {
    const { subscriber, encoder } = this;
    try {
      subscriber.next({ text: '', mayBeEmpty, onDrained: this.#onDrained });
      if (await this.#hasDrained()) {
        await this.follow(this.#left.signal, (item) =>
          this.#send(encoder.texts(item)[Symbol.iterator]()),
        );
      }
      this.#isOver = true;
      subscriber.complete();
    } catch (error) {
      this.#isOver = true;
      subscriber.error(error);
    }
  }

  leave(): void {
    if (this.#isOver) return;
    this.#hasLeft = true;
    this.#left.abort();
    this.#goOn();
  }

  /** @returns whether they are the last, once there is room for more. */
  #send(texts: Iterator<string>): boolean | Promise<boolean> {
    const onDrained = this.#onDrained;
    for (let text = texts.next(); text.done !== true; text = texts.next()) {
      if (this.#hasLeft) return true;
      this.#isDrained = false;
      this.subscriber.next({ text: text.value, onDrained });
      // Mostly drained at once: a promise for each batch would cost more than the batch.
      if (!this.#isDrained) {
        return this.#hasDrained().then((hasRoom) => !hasRoom || this.#send(texts));
      }
    }
    return this.#hasLeft || this.encoder.isOver();
  }

  /** @returns whether there is room; `false` where the subscriber left before. */
  #hasDrained(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#goOn = () => {
        this.#goOn = nothing;
        resolve(this.#isDrained);
      };
      if (this.#isDrained || this.#hasLeft) this.#goOn();
    });
  }
}
