/** @typedef {import('./read-turn.mjs').TurnRead} TurnRead */

/**
 * @typedef {object} Summary
 * @property {number} turns @property {number} deltas that arrived.
 * @property {number} seconds from the first post to the last end.
 * @property {number} turnsPerSecond @property {number} deltasPerSecond over the whole run.
 * @property {number} offered deltas per second, and
 * @property {number} delivered deltas per second, while all streams were open.
 * @property {{p50: number, p90: number, p99: number}} latencyMs of a delta, from model to client.
 * @property {{p50: number, p90: number, p99: number}} ttftMs from post to first delta.
 * @property {number} bytesPerDelta
 * @property {number} lost @property {number} repeated @property {number} outOfOrder
 * @property {number} errors @property {string[]} reasons the first few of them.
 */

/** @param {TurnRead[]} reads @param {number} deltas of a turn. @returns {Summary} */
export function summarise(reads, deltas) {
  const good = reads.filter((read) => read.tally.seen > 0);
  const arrived = sum(reads.map((read) => read.tally.seen));
  const seconds =
    (max(reads.map((read) => read.endMicros)) - min(reads.map((read) => read.startMicros))) / 1e6;
  const failed = reads.filter((read) => read.error !== undefined);
  return {
    turns: reads.length - failed.length,
    deltas: arrived,
    seconds,
    turnsPerSecond: (reads.length - failed.length) / seconds,
    deltasPerSecond: arrived / seconds,
    ...plateau(good),
    latencyMs: percentiles(latencies(good)),
    ttftMs: percentiles(
      Float64Array.from(
        good,
        ({ tally, startMicros }) => ((tally.readMicros[0] ?? 0) - startMicros) / 1e3,
      ),
    ),
    bytesPerDelta: sum(reads.map((read) => read.bytes)) / arrived,
    lost: reads.length * deltas - arrived,
    repeated: sum(reads.map((read) => read.tally.repeated)),
    outOfOrder: sum(reads.map((read) => read.tally.outOfOrder)),
    errors: failed.length,
    reasons: [...new Set(failed.map((read) => read.error ?? ''))].slice(0, 5),
  };
}

/**
 * Deltas sent and received between the start of the last stream and the end of the first one. NaN if all
 * streams were never open together.
 *
 * @param {TurnRead[]} reads
 */
function plateau(reads) {
  const from = max(reads.map(({ tally }) => tally.sentMicros[0] ?? 0));
  const to = min(reads.map(({ tally }) => tally.sentMicros.at(-1) ?? 0));
  const seconds = (to - from) / 1e6;
  if (!(seconds > 0)) return { offered: NaN, delivered: NaN };
  const inside = (/** @type {Float64Array} */ times) =>
    times.reduce((count, time) => count + (time > from && time <= to ? 1 : 0), 0);
  return {
    offered: sum(reads.map(({ tally }) => inside(tally.sentMicros))) / seconds,
    delivered: sum(reads.map(({ tally }) => inside(tally.readMicros))) / seconds,
  };
}

/** @param {TurnRead[]} reads @returns {Float64Array} in ms */
function latencies(reads) {
  const all = new Float64Array(sum(reads.map(({ tally }) => tally.seen)));
  let at = 0;
  for (const { tally } of reads) {
    for (const [index, read] of tally.readMicros.entries()) {
      if (read !== 0) all[at++] = (read - (tally.sentMicros[index] ?? 0)) / 1e3;
    }
  }
  return all;
}

/** @param {Float64Array} values */
function percentiles(values) {
  const sorted = values.toSorted();
  const at = (/** @type {number} */ share) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99) };
}

/** @param {number[]} values */
const sum = (values) => values.reduce((total, value) => total + value, 0);
/** @param {number[]} values */
const max = (values) => values.reduce((most, value) => Math.max(most, value), -Infinity);
/** @param {number[]} values */
const min = (values) => values.reduce((least, value) => Math.min(least, value), Infinity);
