const stamp = /(\d+)\.(\d{15});/g;

/**
 * The tally of a reader's stream. A delta is identified by its index; a merged delta has several.
 *
 * @param {number} deltas how many there should be.
 */
export function createTally(deltas) {
  const sentMicros = new Float64Array(deltas);
  const readMicros = new Float64Array(deltas);
  const tally = { sentMicros, readMicros, seen: 0, repeated: 0, outOfOrder: 0 };
  let highest = -1;
  return {
    tally,
    /** @param {string} data of a frame with deltas. @param {number} micros when it was read. */
    add(data, micros) {
      for (const [, indexText, sentText] of data.matchAll(stamp)) {
        const index = Number(indexText);
        // A delta that was never sent counts like a repeated one.
        if (index >= deltas || readMicros[index] !== 0) {
          tally.repeated += 1;
          continue;
        }
        if (index < highest) tally.outOfOrder += 1;
        else highest = index;
        sentMicros[index] = Number(sentText);
        readMicros[index] = micros;
        tally.seen += 1;
      }
    },
  };
}
