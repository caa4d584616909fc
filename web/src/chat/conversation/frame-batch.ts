import type { AnyFrame } from './reduce-turn.js';

/** Milliseconds between flushes of a hidden tab, which gets no animation frames. */
const HIDDEN_MS = 500;

/** Collects frames until the next animation frame, so that the page renders once for all of them. */
export class FrameBatch {
  #frames = new Map<string, AnyFrame[]>();
  #cancel: (() => void) | undefined;

  constructor(
    private readonly flushed: (frames: ReadonlyMap<string, readonly AnyFrame[]>) => void,
  ) {}

  add(turnId: string, frame: AnyFrame): void {
    const frames = this.#frames.get(turnId);
    if (frames === undefined) this.#frames.set(turnId, [frame]);
    else frames.push(frame);
    this.#cancel ??= this.#schedule();
  }

  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#frames.size === 0) return;
    const frames = this.#frames;
    this.#frames = new Map();
    this.flushed(frames);
  }

  /** Drops the frames that were not flushed. */
  close(): void {
    this.#cancel?.();
    this.#frames.clear();
  }

  #schedule(): () => void {
    if (document.hidden) {
      const timer = setTimeout(() => this.flush(), HIDDEN_MS);
      return () => clearTimeout(timer);
    }
    const drawing = requestAnimationFrame(() => this.flush());
    // A tab that is hidden meanwhile gets no animation frame.
    const timer = setTimeout(() => this.flush(), HIDDEN_MS);
    return () => {
      cancelAnimationFrame(drawing);
      clearTimeout(timer);
    };
  }
}
