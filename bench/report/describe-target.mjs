import { median } from '../measure/median-of.mjs';

/** @typedef {import('../measure/measure-run.mjs').Measured} Measured */

/**
 * @typedef {object} Row a line of a scenario's table.
 * @property {string} label
 * @property {(round: Measured) => number} read
 * @property {number} digits
 * @property {boolean} [beyondDirect] shown as the difference to the direct run.
 * @property {boolean} [worst] the highest of the rounds instead of their median.
 */

const inMb = (/** @type {string} */ name) => (/** @type {Measured} */ round) =>
  (round.peaksKb[name] ?? NaN) / 1_024;

const perThousand = (/** @type {string} */ group) => (/** @type {Measured} */ round) =>
  ((round.cpuMs[group] ?? NaN) / round.deltas) * 1_000;

/** @param {import('../scenarios.mjs').Scenario} scenario @returns {Record<string, Row>} */
export function rowsOf({ streams, gapMs }) {
  const paced = gapMs > 0;
  return {
    turnsPerSecond: { label: 'turns/s', read: (round) => round.turnsPerSecond, digits: 1 },
    ...(paced && streams > 1
      ? {
          offered: { label: 'deltas/s offered', read: (round) => round.offered, digits: 0 },
          delivered: { label: 'deltas/s delivered', read: (round) => round.delivered, digits: 0 },
        }
      : {
          deltasPerSecond: { label: 'deltas/s', read: (round) => round.deltasPerSecond, digits: 0 },
        }),
    ttft: { label: 'TTFT p50, ms', read: (round) => round.ttftMs.p50, digits: 1 },
    ttft90: { label: 'TTFT p90, ms', read: (round) => round.ttftMs.p90, digits: 1 },
    p50: { label: 'latency p50, ms', read: (round) => round.latencyMs.p50, digits: 2 },
    p90: { label: 'latency p90, ms', read: (round) => round.latencyMs.p90, digits: 2 },
    p99: { label: 'latency p99, ms', read: (round) => round.latencyMs.p99, digits: 2 },
    added50: {
      label: 'beyond direct p50, ms',
      read: (round) => round.latencyMs.p50,
      digits: 2,
      beyondDirect: true,
    },
    added90: {
      label: 'beyond direct p90, ms',
      read: (round) => round.latencyMs.p90,
      digits: 2,
      beyondDirect: true,
    },
    cpuTurn: {
      label: 'own CPU, ms/turn',
      read: (round) => (round.cpuMs['own'] ?? NaN) / round.turns,
      digits: 1,
    },
    cpuProduct: {
      label: 'CPU with Redis and PostgreSQL, ms/turn',
      read: (round) => (round.cpuMs['product'] ?? NaN) / round.turns,
      digits: 2,
    },
    cpu: { label: 'own CPU, ms/1,000 deltas', read: perThousand('own'), digits: 0 },
    cpuApi: { label: '… API', read: perThousand('api'), digits: 0 },
    cpuWorker: { label: '… worker', read: perThousand('worker'), digits: 0 },
    cpuRedis: { label: 'Redis CPU', read: perThousand('redis'), digits: 0 },
    cpuPostgres: { label: 'PostgreSQL CPU', read: perThousand('postgres'), digits: 0 },
    cpuModel: { label: 'model CPU', read: perThousand('model'), digits: 0 },
    cpuClient: { label: 'client CPU', read: perThousand('client'), digits: 0 },
    calls: { label: 'model calls a turn', read: (round) => round.calls / round.turns, digits: 2 },
    sent: {
      label: 'KB of a model call',
      read: (round) => round.sentBytes / round.calls / 1_024,
      digits: 1,
    },
    bytes: { label: 'bytes per delta', read: (round) => round.bytesPerDelta, digits: 0 },
    peak: {
      label: 'peak memory, MB',
      read: (round) => round.peakKb / 1_024,
      digits: 0,
      worst: true,
    },
    peakApi: { label: '… API', read: inMb('api'), digits: 0, worst: true },
    peakWorker: { label: '… worker', read: inMb('worker'), digits: 0, worst: true },
    peakRedis: { label: 'Redis’ peak memory, MB', read: inMb('redis'), digits: 0, worst: true },
    perStream: {
      label: 'KB per open stream',
      read: (round) => (round.peakKb - round.idleKb) / streams,
      digits: 0,
      worst: true,
    },
    lost: { label: 'lost', read: (round) => round.lost, digits: 0, worst: true },
    repeated: { label: 'repeated', read: (round) => round.repeated, digits: 0, worst: true },
    outOfOrder: {
      label: 'out of order',
      read: (round) => round.outOfOrder,
      digits: 0,
      worst: true,
    },
    errors: { label: 'errors', read: (round) => round.errors, digits: 0, worst: true },
  };
}

/**
 * The number for all rounds of a target.
 *
 * @param {Row | undefined} row @param {Record<string, Measured[]>} byTarget @param {string} target
 */
export function valueOf(row, byTarget, target) {
  const rounds = byTarget[target];
  if (row === undefined || rounds === undefined || rounds.length === 0) return NaN;
  if (row.worst === true) return Math.max(...rounds.map(row.read));
  const value = median(rounds.map(row.read));
  return row.beyondDirect === true
    ? value - median((byTarget['direct'] ?? []).map(row.read))
    : value;
}
