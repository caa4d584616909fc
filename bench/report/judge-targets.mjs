import { rowsOf, valueOf } from './describe-target.mjs';

/** Differences below this share are noise. */
const noise = 0.15;

/**
 * @typedef {object} Verdict
 * @property {string} target @property {string} seen @property {boolean} met
 */

/**
 * Judges the targets of distributed and embedded mode for which a scenario ran.
 *
 * @param {import('../run-scenarios.mjs').Rounds} rounds
 * @param {Record<string, import('../scenarios.mjs').Scenario>} scenarios
 * @returns {Verdict[]}
 */
export function judgeTargets(rounds, scenarios) {
  /** @type {Verdict[]} */
  const verdicts = [];
  const read = (/** @type {string} */ name, /** @type {string} */ row, target = 'distributed') => {
    const scenario = scenarios[name];
    return scenario === undefined
      ? NaN
      : valueOf(rowsOf(scenario)[row], rounds[name] ?? {}, target);
  };
  /** @param {string} target @param {number} value @param {boolean} met @param {string} seen */
  const judge = (target, value, met, seen) => {
    if (!Number.isNaN(value)) verdicts.push({ target, met, seen });
  };
  /** @param {string} name @param {string} row @param {string} [target] */
  const toProxy = (name, row, target) => read(name, row, target) / read(name, row, 'proxy');

  for (const name of ['p200', 'p500']) {
    const ratio = toProxy(name, 'cpu');
    judge(`${name}: own CPU per 1,000 deltas ≤ 1.1 × proxy`, ratio, ratio <= 1.1, times(ratio));
  }
  const throughput = toProxy('t100', 'turnsPerSecond');
  judge('t100: turns/s ≥ proxy', throughput, throughput >= 1, times(throughput));
  judge('t100: turns/s ≥ 1.5 × proxy (stretch)', throughput, throughput >= 1.5, times(throughput));
  const delivered = read('p500', 'delivered') / read('p500', 'offered');
  const offered = read('p500', 'offered');
  judge(
    'p500: ≥ 99 % of 10,000 deltas/s delivered',
    delivered,
    delivered >= 0.99 && offered >= 9_900,
    `${(delivered * 100).toFixed(1)} % of ${offered.toFixed(0)}`,
  );
  const lost = read('p500', 'lost') + read('p500', 'repeated') + read('p500', 'errors');
  judge('p500: none lost, none repeated, no error', lost, lost === 0, String(lost));
  for (const [row, most] of /** @type {const} */ ([
    ['added50', 0.7],
    ['added90', 2.5],
  ])) {
    const value = read('p200', row);
    judge(`p200: p${row.slice(-2)} ≤ ${most} ms beyond direct`, value, value <= most, ms(value));
  }
  const ttft = read('one', 'ttft');
  judge('one: TTFT overhead p50 ≤ 6 ms', ttft, ttft <= 6, ms(ttft));
  const memory = read('p500', 'perStream');
  judge('p500: ≤ 150 KB per open stream', memory, memory <= 150, `${memory.toFixed(0)} KB`);
  for (const [row, about] of /** @type {const} */ ([
    ['cpu', 'own CPU'],
    ['p50', 'latency p50'],
    ['p90', 'latency p90'],
  ])) {
    const ratio = toProxy('p50', row, 'embedded');
    judge(
      `embedded at p50: ${about} no worse than the proxy`,
      ratio,
      ratio <= 1 + noise,
      times(ratio),
    );
  }
  return verdicts;
}

/** @param {number} value */
const times = (value) => `${value.toFixed(2)} ×`;
/** @param {number} value */
const ms = (value) => `${value.toFixed(2)} ms`;
