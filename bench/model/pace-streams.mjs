/**
 * @typedef {object} PacedStream
 * @property {number} dueMs when its next piece is due, by `performance.now()`.
 * @property {(nowMs: number) => boolean} send writes that piece and moves `dueMs` on; false when
 *   the stream is over.
 */

const slots = 4_096;

/**
 * A single timer paces all streams: a wheel with an entry for each millisecond. Pieces keep the
 * stream's schedule; a late piece does not delay later ones.
 */
export function createPacer() {
  /** @type {PacedStream[][]} */
  const wheel = Array.from({ length: slots }, () => []);
  let open = 0;
  let reached = 0;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;

  /** @param {PacedStream} stream */
  function schedule(stream) {
    // Never into a passed entry, which would wait for a whole round of the wheel.
    const slot = Math.max(Math.ceil(stream.dueMs), reached + 1);
    // A piece beyond the length of the wheel is checked once a round.
    wheel[slot % slots]?.push(stream);
  }

  function turn() {
    const nowMs = performance.now();
    const until = Math.min(Math.floor(nowMs), reached + slots);
    while (reached < until) {
      reached += 1;
      const slot = wheel[reached % slots] ?? [];
      if (slot.length === 0) continue;
      wheel[reached % slots] = [];
      for (const stream of slot) {
        if (stream.dueMs > nowMs || stream.send(nowMs)) schedule(stream);
        else open -= 1;
      }
    }
    if (open === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  }

  return {
    /** @param {PacedStream} stream */
    add(stream) {
      if (timer === undefined) {
        reached = Math.floor(performance.now());
        timer = setInterval(turn, 1);
      }
      open += 1;
      schedule(stream);
    },
  };
}
