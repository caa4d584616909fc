import { scenariosFor } from '../scenarios.mjs';
import { rowsOf, valueOf } from './describe-target.mjs';
import { judgeTargets } from './judge-targets.mjs';

/**
 * @typedef {object} Report
 * @property {import('../options.mjs').Options} options
 * @property {import('../run-scenarios.mjs').Rounds} rounds
 * @property {import('../checks/run-checks.mjs').Checked[]} checks
 * @property {number} seconds
 */

/** @param {Report} report @returns {string} Markdown */
export function renderReport({ options, rounds, checks, seconds }) {
  const scenarios = scenariosFor(options.quick);
  const tables = Object.entries(rounds).flatMap(([name, byTarget]) => {
    const scenario = scenarios[name];
    const hasRun = scenario !== undefined && Object.keys(byTarget).length > 0;
    return hasRun ? [renderScenario(name, scenario, byTarget)] : [];
  });
  const ran = `Medians of ${options.rounds} interleaved rounds, ${seconds} s in all. In parentheses: ratio to the proxy, ratio to direct.`;
  const verdicts = judgeTargets(rounds, scenarios, checks);
  return [ran, ...tables, renderChecks(checks), renderVerdicts(verdicts)]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}

/**
 * @param {string} name @param {import('../scenarios.mjs').Scenario} scenario
 * @param {Record<string, import('../measure/measure-run.mjs').Measured[]>} byTarget
 */
function renderScenario(name, scenario, byTarget) {
  const targets = Object.keys(byTarget);
  const rows = Object.values(rowsOf(scenario)).map((row) => [
    row.label,
    ...targets.map((target) => {
      const value = valueOf(row, byTarget, target);
      const ratios =
        row.beyondDirect === true || Number.isNaN(value)
          ? []
          : ['proxy', 'direct']
              .filter((base) => base !== target && target !== 'direct')
              .map((base) => value / valueOf(row, byTarget, base))
              .filter((ratio) => Number.isFinite(ratio))
              .map((ratio) => `${ratio.toFixed(2)}×`);
      return `${show(value, row.digits)}${ratios.length > 0 ? ` (${ratios.join(', ')})` : ''}`;
    }),
  ]);
  const filled = rows.filter((row) => row.slice(1).some((cell) => cell !== '–'));
  return `## ${name}: ${scenario.about}\n\n${table(['', ...targets], filled)}`;
}

/** @param {import('../checks/run-checks.mjs').Checked[]} checks */
function renderChecks(checks) {
  if (checks.length === 0) return '';
  const rows = checks.flatMap(({ name, findings, error }) =>
    error === undefined
      ? findings.map(({ what, value, unit, note = '' }) => [
          name,
          what,
          `${show(value, value < 10 ? 2 : 0)} ${unit}`,
          note,
        ])
      : [[name, `**failed**: ${error.replaceAll('\n', ' ').replaceAll('|', '/')}`, '', '']],
  );
  return `## Checks\n\n${table(['check', 'what', 'seen', ''], rows)}`;
}

/** @param {import('./judge-targets.mjs').Verdict[]} verdicts */
function renderVerdicts(verdicts) {
  if (verdicts.length === 0) return '';
  const rows = verdicts.map(({ target, seen, met }) => [
    target,
    seen,
    met === undefined ? '–' : met ? 'met' : '**missed**',
  ]);
  return `## Targets\n\n${table(['target', 'seen', ''], rows)}`;
}

/** @param {number} value @param {number} digits */
function show(value, digits) {
  if (Number.isNaN(value)) return '–';
  return value.toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** @param {string[]} head @param {string[][]} rows */
function table(head, rows) {
  const line = (/** @type {string[]} */ cells) => `| ${cells.join(' | ')} |`;
  return [
    line(head),
    line(head.map((_, index) => (index === 0 ? '---' : '---:'))),
    ...rows.map(line),
  ].join('\n');
}
