import { rowsOf, valueOf } from './describe-target.mjs';

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

  const modes = /** @type {const} */ (['distributed', 'embedded']);
  for (const mode of modes) {
    const most = { distributed: 0.6, embedded: 0.5 }[mode];
    const throughput = toProxy('t100', 'turnsPerSecond', mode);
    judge(
      `${mode}: t100 turns/s ≥ ${most} × proxy`,
      throughput,
      throughput >= most,
      times(throughput),
    );
    const share = read('p200', 'delivered', mode) / read('p200', 'offered', mode);
    const least = { distributed: 0.99, embedded: 0.95 }[mode];
    judge(
      `${mode}: p200 delivered of what is offered ≥ ${least * 100} %`,
      share,
      share >= least,
      `${(share * 100).toFixed(1)} %`,
    );
    const cost = toProxy('long', 'cpu', mode);
    judge(`${mode}: long, own CPU a delta ≤ 1.4 × proxy`, cost, cost <= 1.4, times(cost));
    const ttft = read('one', 'ttft', mode) - read('one', 'ttft', 'proxy');
    judge(`${mode}: one, TTFT p50 beyond the proxy’s ≤ 8 ms`, ttft, ttft <= 8, ms(ttft));
  }
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
    ['added50', 2],
    ['added90', 8],
  ])) {
    const value = read('p200', row);
    judge(`p200: p${row.slice(-2)} ≤ ${most} ms beyond direct`, value, value <= most, ms(value));
  }
  const memory = read('p500', 'perStream');
  judge('p500: ≤ 100 KB per open stream', memory, memory <= 100, `${memory.toFixed(0)} KB`);
  return verdicts;
}

/** @param {number} value */
const times = (value) => `${value.toFixed(2)} ×`;
/** @param {number} value */
const ms = (value) => `${value.toFixed(2)} ms`;
