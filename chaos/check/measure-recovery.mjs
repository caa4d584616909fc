/**
 * Milliseconds of silence at each takeover: from the last frame of an attempt to the first of the next.
 *
 * @param {readonly import('../types.js').Frame[]} frames
 * @returns {number[]}
 */
export function measureRecovery(frames) {
  return frames.flatMap((frame, index) => {
    const before = frames[index - 1];
    if (frame.event !== 'turn:recovering' || before === undefined) return [];
    return [frame.at - before.at];
  });
}

/**
 * @param {readonly number[]} values
 * @param {number} share 0.5 is the median
 * @returns {number | undefined} of no values
 */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
