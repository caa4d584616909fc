import type { Move } from './encode-reply.js';
import type { BreakOff, WireEvent } from './reply-plan.js';

/** The source of time. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Runs `callback` once after `delayMs` milliseconds; the returned function cancels it. */
  after(delayMs: number, callback: () => void): () => void;
}

/** The destination of a reply. */
export interface Stage {
  /** Sends events. @returns false when the stage is full. */
  send(events: WireEvent[]): boolean;
  /** Whether the destination takes no more events now. */
  readonly isFull: boolean;
  /** Calls back once, when the stage is no longer full. */
  whenDrained(callback: () => void): void;
  /** Ends the reply, complete or broken off. */
  end(breakOff: BreakOff | undefined): void;
}

const batchSize = 64;

/**
 * Plays moves on a stage. Pauses are measured from the start: events that a busy process or a slow
 * reader delayed are sent in one batch, and the pace stays. There is at most one timer, and none
 * without pauses.
 *
 * @returns a function that stops at once and clears the timer; `end` is then not called
 */
export function playReply(moves: Iterator<Move, void>, stage: Stage, clock: Clock): () => void {
  let stopped = false;
  let cancelTimer = (): void => undefined;
  let dueAt = clock.now();

  const play = (): void => {
    if (stopped) return;
    if (stage.isFull) return stage.whenDrained(play);
    let batch: WireEvent[] = [];
    for (let next = moves.next(); ; next = moves.next()) {
      const move = next.done === true ? undefined : next.value;
      switch (move?.type) {
        case 'send':
          batch.push(move.event);
          if (batch.length < batchSize) break;
          if (!stage.send(batch)) return stage.whenDrained(play);
          batch = [];
          break;
        case 'pause': {
          dueAt += move.ms;
          const waitMs = dueAt - clock.now();
          if (waitMs <= 0) break;
          if (batch.length > 0) stage.send(batch);
          cancelTimer = clock.after(waitMs, play);
          return;
        }
        case 'break':
        case undefined:
          if (batch.length > 0) stage.send(batch);
          return stage.end(move?.breakOff);
      }
    }
  };

  play();
  return () => {
    stopped = true;
    cancelTimer();
  };
}
