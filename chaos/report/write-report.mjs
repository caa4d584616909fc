import { quantile } from '../check/measure-recovery.mjs';
import { violationKinds } from '../check/violation-kinds.mjs';

/** @typedef {import('../storm.mjs').ChaosResult} ChaosResult */

/**
 * The report of a run, as Markdown.
 *
 * @param {ChaosResult} result
 * @param {{ seed: number, minutes: number, apis: number, workers: number, turnsAtOnce: number }} options
 * @returns {string}
 */
export function writeReport(result, options) {
  const { seed, minutes, apis, workers, turnsAtOnce } = options;
  return [
    `# Chaos: seed ${seed}, ${minutes} min, ${apis} APIs, ${workers} workers, ${turnsAtOnce} turns at once`,
    table('fault', 'done', describeFaults(result)),
    table('turns', '', describeTurns(result)),
    table('beside turns', '', result.kept),
    table('time, ms', 'p50 / p99 / longest (count)', describeTimes(result)),
    table('HTTP answer', 'count', byName(result.tally.answers)),
    table('left behind', 'now / at idle', describeLeftovers(result)),
    table('violation', 'count', describeViolations(result)),
  ].join('\n\n');
}

/** @param {ChaosResult} result @returns {[string, string | number][]} */
function describeFaults({ faults, leftOut }) {
  return [
    ...countBy(faults, (fault) => fault.kind),
    ...[...leftOut].map(([kind, why]) => {
      const row = /** @type {[string, string]} */ ([kind, `left out: ${why.replace(/\s+/g, ' ')}`]);
      return row;
    }),
  ];
}

/** @param {ChaosResult} result @returns {[string, string | number][]} */
function describeTurns({ begun, turns, loadMs, tally, deliveries, received }) {
  const frames = turns.reduce((sum, turn) => sum + turn.frames, 0);
  return [
    ['begun', begun],
    ...countBy(turns, (turn) => turn.outcome),
    ['with more than one attempt', turns.filter((turn) => turn.attempts > 1).length],
    ['most attempts', Math.max(0, ...turns.map((turn) => turn.attempts))],
    ['tool calls', turns.reduce((sum, turn) => sum + turn.calls.length, 0)],
    ['frames read', frames],
    ['broken streams', tally.brokenConnections],
    ['readers that heard of a worker which does not answer', tally.stalls],
    ['deliveries to the webhook', deliveries],
    ['of these taken more than once', [...received.values()].filter((one) => one.taken > 1).length],
    ['turns per second', (turns.length / (loadMs / 1000)).toFixed(1)],
  ];
}

/** @param {ChaosResult} result @returns {[string, string][]} */
function describeTimes({ turns, tally }) {
  const spread = (/** @type {number[]} */ values) =>
    `${quantile(values, 0.5) ?? '–'} / ${quantile(values, 0.99) ?? '–'} / ${quantile(values, 1) ?? '–'} (${values.length})`;
  const recovery = turns.flatMap((turn) => turn.recoveryMs);
  return [
    ['last frame of an attempt to the first of the next', spread(recovery)],
    ['broken stream to the next one', spread(tally.reconnectMs)],
  ];
}

/** @param {ChaosResult} result @returns {[string, string][]} */
function describeLeftovers({ leftovers, memory }) {
  const { connections, connectionsAtIdle, keys, turns, processes } = leftovers;
  const lasting = keys.filter(({ ttlMs }) => ttlMs === -1).length;
  return [
    ['connections to PostgreSQL', `${connections.postgres} / ${connectionsAtIdle.postgres}`],
    ['connections to Redis', `${connections.redis} / ${connectionsAtIdle.redis}`],
    ['keys in Redis (of these without a time to live)', `${keys.length} (${lasting})`],
    ['turns not ended, or leased', String(turns.length)],
    ["tools' processes", String(processes.length)],
    ...memory.map(({ name, idleMiB, afterMiB }) => {
      const row = /** @type {[string, string]} */ ([
        `memory of ${name}, MiB`,
        `${afterMiB ?? 'down'} / ${idleMiB ?? '–'}`,
      ]);
      return row;
    }),
  ];
}

/** Every kind with its count, also zero. @param {ChaosResult} result @returns {[string, number][]} */
function describeViolations({ violations }) {
  return Object.entries(violationKinds).map(([kind, about]) => [
    `${kind}: ${about}`,
    violations.filter((violation) => violation.kind === kind).length,
  ]);
}

/**
 * @param {Map<string, number>} counts
 * @returns {[string, number][]}
 */
function byName(counts) {
  return [...counts].sort(([a], [b]) => a.localeCompare(b));
}

/**
 * @template T
 * @param {readonly T[]} items
 * @param {(item: T) => string} nameOf
 * @returns {[string, number][]}
 */
function countBy(items, nameOf) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const item of items) counts.set(nameOf(item), (counts.get(nameOf(item)) ?? 0) + 1);
  return byName(counts);
}

/**
 * @param {string} name
 * @param {string} value
 * @param {readonly (readonly [string, string | number])[]} rows
 */
function table(name, value, rows) {
  const lines = rows.map(([label, content]) => `| ${label} | ${content} |`);
  return [`| ${name} | ${value} |`, '| --- | --- |', ...lines].join('\n');
}
