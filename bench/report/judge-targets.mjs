import { median } from '../measure/median-of.mjs';
import { rowsOf, valueOf } from './describe-target.mjs';

/**
 * @typedef {object} Verdict
 * @property {string} target @property {string} seen
 * @property {boolean | undefined} met undefined where it was not measured.
 *
 * @typedef {{least: number, aim?: number} | {most: number, aim?: number}} Bound
 */

const modes = /** @type {const} */ (['distributed', 'embedded']);

/**
 * Judges the targets of distributed and embedded mode for which a scenario or a check ran. One whose baseline did not
 * run is there too, as not measured.
 *
 * @param {import('../run-scenarios.mjs').Rounds} rounds
 * @param {Record<string, import('../scenarios.mjs').Scenario>} scenarios
 * @param {import('../checks/run-checks.mjs').Checked[]} checks
 * @returns {Verdict[]}
 */
export function judgeTargets(rounds, scenarios, checks) {
  /** @type {Verdict[]} */
  const verdicts = [];
  const read = (/** @type {string} */ name, /** @type {string} */ row, target = 'distributed') => {
    const scenario = scenarios[name];
    return scenario === undefined
      ? NaN
      : valueOf(rowsOf(scenario)[row], rounds[name] ?? {}, target);
  };
  /** @param {string} what @param {number} value @param {Bound} bound @param {string} unit */
  const judge = (what, value, bound, unit) => {
    const isMeasured = !Number.isNaN(value);
    verdicts.push({
      target: `${what} ${describeBound(bound, unit)}`,
      met: isMeasured ? meets(value, bound) : undefined,
      seen: isMeasured ? `${value.toFixed(2)} ${unit}` : 'not measured',
    });
  };
  /**
   * Judges a figure of a scenario, if that ran in this mode.
   *
   * @param {string} mode @param {string} name @param {string} what @param {number} value @param {Bound} bound
   * @param {string} unit
   */
  const judgeRun = (mode, name, what, value, bound, unit) => {
    if (rounds[name]?.[mode] !== undefined) judge(what, value, bound, unit);
  };
  /** @param {string} name @param {string} row @param {string} [target] */
  const toProxy = (name, row, target) => read(name, row, target) / read(name, row, 'proxy');

  for (const mode of modes) {
    for (const [name, byTarget] of Object.entries(rounds)) {
      const [keys, tokens] = [byTarget[`${mode} key`], byTarget[`${mode} token`]];
      if (keys === undefined || tokens === undefined) continue;
      const { ratio, spread } = compareCpu(keys, tokens);
      const what = `${mode}: ${name}, CPU a turn by token`;
      judge(what, ratio, { most: 1.03 }, '× key');
      judge(`${what}, spread of the median`, spread, { most: 2 }, '%');
    }
    /** @param {string} name @param {Bound} bound */
    const throughput = (name, bound) => {
      const value = toProxy(name, 'turnsPerSecond', mode);
      judgeRun(mode, name, `${mode}: ${name}, turns/s`, value, bound, '× proxy');
    };
    /** @param {string} name @param {string} what @param {string} row @param {Bound} bound */
    const toSingle = (name, what, row, bound) => {
      const value = read(name, row, mode) / read('t100', row, mode);
      judgeRun(mode, name, `${mode}: ${name}, ${what}`, value, bound, '× t100');
    };
    throughput('t100', { least: 0.9, aim: 1 });
    throughput('t100-pieces', { least: 0.8, aim: 1 });
    throughput('chat', { least: { distributed: 0.6, embedded: 0.5 }[mode], aim: 1 });
    toSingle('chat', 'CPU a turn', 'cpuProduct', { most: 1.3, aim: 1.1 });
    toSingle('chat', 'peak memory', 'peak', { most: 2, aim: 1.3 });
    toSingle('new', 'turns/s', 'turnsPerSecond', { least: 0.7, aim: 0.9 });
    const cost = toProxy('long', 'cpu', mode);
    const most = { most: 1.4, aim: 1.2 };
    judgeRun(mode, 'long', `${mode}: long, own CPU a delta`, cost, most, '× proxy');
    const share = (read('p200', 'delivered', mode) / read('p200', 'offered', mode)) * 100;
    const least = { distributed: 99, embedded: 95 }[mode];
    judgeRun(mode, 'p200', `${mode}: p200, delivered of what is offered`, share, { least }, '%');
    const ttft = read('one', 'ttft', mode) - read('one', 'ttft', 'proxy');
    judgeRun(mode, 'one', `${mode}: one, TTFT p50 beyond the proxy’s`, ttft, { most: 8 }, 'ms');
  }
  /** @param {string} name @param {string} what @param {number} value @param {Bound} bound @param {string} unit */
  const distributed = (name, what, value, bound, unit) =>
    judgeRun('distributed', name, `${name}, ${what}`, value, bound, unit);
  const share = (read('p500', 'delivered') / read('p500', 'offered')) * 100;
  distributed('p500', 'delivered of what is offered', share, { least: 99 }, '%');
  distributed('p500', 'offered', read('p500', 'offered'), { least: 9_900 }, 'deltas/s');
  distributed('p200', 'p50 beyond direct', read('p200', 'added50'), { most: 2 }, 'ms');
  distributed('p200', 'p90 beyond direct', read('p200', 'added90'), { most: 8 }, 'ms');
  distributed('p500', 'memory of an open stream', read('p500', 'perStream'), { most: 100 }, 'KB');
  for (const { what, value, unit, least, most, aim } of checks.flatMap((one) => one.findings)) {
    const more = aim === undefined ? {} : { aim };
    if (most !== undefined) judge(what, value, { most, ...more }, unit);
    if (least !== undefined) judge(what, value, { least, ...more }, unit);
  }
  return [...verdicts, ...judgeFaults(rounds, checks)];
}

/**
 * Compares the CPU of turns in runs that alternate: each with the one beside it, as the machine's speed changes.
 *
 * @param {import('../measure/measure-run.mjs').Measured[]} base
 * @param {import('../measure/measure-run.mjs').Measured[]} other
 * @returns {{ratio: number, spread: number}} the median of the ratios, and its standard error in percent, by the
 *   interquartile range.
 */
export function compareCpu(base, other) {
  const ofTurn = (/** @type {import('../measure/measure-run.mjs').Measured | undefined} */ round) =>
    (round?.cpuMs['product'] ?? NaN) / (round?.turns ?? NaN);
  const ratios = other
    .slice(0, base.length)
    .map((round, at) => ofTurn(round) / ofTurn(base[at]))
    .toSorted((a, b) => a - b);
  const quartile = (/** @type {number} */ part) =>
    ratios[Math.round((ratios.length - 1) * part)] ?? NaN;
  const deviation = (quartile(0.75) - quartile(0.25)) / 1.349;
  const error = (1.253 * deviation) / Math.sqrt(ratios.length);
  return { ratio: median(ratios), spread: error * 100 };
}

/**
 * What went wrong, which no figure makes up for: turns that failed, deltas that did not come once and in order,
 * and checks that failed.
 *
 * @param {import('../run-scenarios.mjs').Rounds} rounds
 * @param {import('../checks/run-checks.mjs').Checked[]} checks
 * @returns {Verdict[]}
 */
export function judgeFaults(rounds, checks) {
  const scenarios = Object.entries(rounds).map(([name, byTarget]) => {
    const targets = Object.values(byTarget);
    const faults = targets
      .flat()
      .map(({ errors, lost, repeated, outOfOrder }) => errors + lost + repeated + outOfOrder)
      .reduce((total, count) => total + count, 0);
    // A scenario that was broken off, or not begun, has shown nothing.
    const ran = targets.length > 0 && targets.every((rounds) => rounds.length > 0);
    const target = `${name}: every turn ends well, with each delta once and in order`;
    return { target, met: ran && faults === 0, seen: ran ? `${faults} faults` : 'broken off' };
  });
  const failed = checks.filter(({ error }) => error !== undefined);
  return [
    ...scenarios,
    ...failed.map(({ name }) => ({ target: `${name}: ends well`, met: false, seen: 'failed' })),
  ];
}

/** @param {number} value @param {Bound} bound */
const meets = (value, bound) => ('least' in bound ? value >= bound.least : value <= bound.most);

/** @param {Bound} bound @param {string} unit */
function describeBound(bound, unit) {
  const sides = 'least' in bound ? `≥ ${bound.least}` : `≤ ${bound.most}`;
  return `${sides} ${unit}${bound.aim === undefined ? '' : ` (aim ${bound.aim})`}`;
}
