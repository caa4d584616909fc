import { measureRun } from './measure/measure-run.mjs';
import { startTarget } from './processes/start-target.mjs';
import { scenariosFor, warmUp } from './scenarios.mjs';

/**
 * @typedef {import('./measure/measure-run.mjs').Measured} Measured
 * @typedef {Record<string, Record<string, Measured[]>>} Rounds by scenario, then by target.
 *
 * @typedef {object} Ground what all scenarios run on.
 * @property {import('./options.mjs').Options} options
 * @property {import('./processes/start-target.mjs').Place} place
 * @property {string} projectRoot of every session.
 * @property {Awaited<ReturnType<typeof import('./processes/open-stores.mjs').openStores>> | undefined} stores
 * @property {ReturnType<typeof import('./processes/open-load.mjs').openLoad>} load
 * @property {Record<string, number>} others pids of model and client.
 * @property {Record<string, number>} services pids of Redis and PostgreSQL, where they are known.
 * @property {(line: string) => void} say
 * @property {(stop: () => Promise<unknown>) => void} onStop what a stop halfway has to end as well.
 */

/** @param {Ground} ground @returns {Promise<Rounds>} */
export async function runScenarios(ground) {
  /** @type {Rounds} */
  const all = {};
  for (const name of ground.options.scenarios) all[name] = await runScenario(name, ground);
  return all;
}

/**
 * Its targets start afresh, so that no scenario has another one's heap, and take turns round by
 * round, so that what the machine does beside is shared among them.
 *
 * @param {string} name @param {Ground} ground
 */
async function runScenario(
  name,
  { options, place, projectRoot, load, others, services, say, onStop },
) {
  const scenario = scenariosFor(options.quick)[name];
  if (scenario === undefined) throw new Error(`There is no scenario ${name}`);
  const shared = { load, projectRoot, others, services };
  /** @type {import('./processes/start-target.mjs').Target[]} */
  const targets = [];
  const stopAll = async () => {
    for (const target of targets.splice(0)) await target.stop();
  };
  onStop(stopAll);
  try {
    for (const target of options.targets) targets.push(await startTarget(target, place));
    for (const target of targets) await measureRun(target, { ...shared, scenario: warmUp });
    /** @type {Record<string, Measured[]>} */
    const rounds = Object.fromEntries(targets.map((target) => [target.name, []]));
    for (let round = 0; round < options.rounds; round += 1) {
      for (const target of targets) {
        const measured = await measureRun(target, { ...shared, scenario });
        rounds[target.name]?.push(measured);
        say(describeRound(name, target.name, round + 1, measured));
      }
    }
    return rounds;
  } finally {
    await stopAll();
  }
}

/** @param {string} scenario @param {string} target @param {number} round @param {Measured} measured */
function describeRound(scenario, target, round, measured) {
  const { turnsPerSecond, deltas, latencyMs, ttftMs, lost, errors, reasons } = measured;
  const parts = [
    `${scenario} ${target} ${round}:`,
    `${turnsPerSecond.toFixed(0)} turns/s`,
    `${(((measured.cpuMs['own'] ?? 0) / deltas) * 1_000).toFixed(0)} CPU ms/1,000 deltas`,
    `latency ${latencyMs.p50.toFixed(2)}/${latencyMs.p90.toFixed(2)} ms`,
    `TTFT ${ttftMs.p50.toFixed(1)} ms`,
    ...(lost + errors > 0 ? [`LOST ${lost}, ERRORS ${errors} ${reasons.join('; ')}`] : []),
  ];
  return parts.join(' ');
}
