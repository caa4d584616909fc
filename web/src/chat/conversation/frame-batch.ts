import type { AnyFrame } from './reduce-turn.js';

/** A hidden tab draws nothing, and must not let frames pile up. */
const HIDDEN_MS = 500;

/** Frames until the next picture is drawn: however many come, the page is rendered once for it. */
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

  /** What was added and not flushed is forgotten. */
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
    // A tab that is hidden before it draws never does.
    const timer = setTimeout(() => this.flush(), HIDDEN_MS);
    return () => {
      cancelAnimationFrame(drawing);
      clearTimeout(timer);
    };
  }
}
