import { measureRun } from './measure/measure-run.mjs';
import { startTarget } from './processes/start-target.mjs';
import { scenariosFor, warmUp } from './scenarios.mjs';

/**
 * @typedef {import('./measure/measure-run.mjs').Measured} Measured
 * @typedef {Record<string, Record<string, Measured[]>>} Rounds by scenario, then by target.
 *
 * @typedef {object} BenchContext the context of all scenarios and checks.
 * @property {import('./options.mjs').Options} options
 * @property {import('./processes/start-target.mjs').TargetSetup} setup
 * @property {string} projectRoot of every session.
 * @property {Awaited<ReturnType<typeof import('./processes/open-stores.mjs').openStores>> | undefined} stores
 * @property {ReturnType<typeof import('./processes/open-load.mjs').openLoad>} load
 * @property {Record<string, number>} others pids of model and client.
 * @property {Record<string, number>} services pids of Redis and PostgreSQL, where they are known.
 * @property {Rounds} rounds what the scenarios came to so far.
 * @property {import('./checks/run-checks.mjs').Checked[]} checks what the checks came to so far.
 * @property {() => boolean} isOver whether no more is to be begun.
 * @property {(line: string) => void} log
 * @property {(stop: () => Promise<unknown>) => void} onStop adds a cleanup for an interrupted run.
 */

/** @param {BenchContext} context whose `rounds` they are added to. */
export async function runScenarios(context) {
  for (const name of context.options.scenarios) {
    if (context.isOver()) {
      context.rounds[name] = {};
      context.log(`${name}: cut short, no time was left`);
    } else {
      await runScenario(name, context);
    }
  }
}

/**
 * Runs a scenario. Its targets start afresh, so that scenarios do not share heaps, and alternate round by
 * round, so that other load of the machine affects all of them.
 *
 * @param {string} name @param {BenchContext} context
 */
async function runScenario(
  name,
  { options, setup, projectRoot, load, others, services, log, onStop, isOver, rounds: all },
) {
  const scenario = scenariosFor(options.quick)[name];
  if (scenario === undefined) throw new Error(`There is no scenario ${name}`);
  const shared = { load, projectRoot, modelUrl: setup.modelUrl, others, services };
  /** @type {import('./processes/start-target.mjs').Target[]} */
  const targets = [];
  const stopAll = async () => {
    for (const target of targets.splice(0)) await target.stop();
  };
  onStop(stopAll);
  try {
    for (const target of options.targets) {
      // Only latencies of p200 are compared with it.
      if (options.quick && target === 'direct' && name !== 'p200') continue;
      targets.push(await startTarget(target, setup));
    }
    const runs = targets.flatMap((target) => runsOf(target));
    for (const { target, auth } of runs) {
      await measureRun(target, { ...shared, ...auth, scenario: warmUp });
    }
    /** @type {Record<string, Measured[]>} */
    const rounds = Object.fromEntries(runs.map((run) => [run.name, []]));
    all[name] = rounds;
    for (let round = 0; round < options.rounds && (round === 0 || !isOver()); round += 1) {
      // Whatever changes while a server runs, as its heap does, counts for none of its credentials.
      for (const run of round % 2 === 0 ? runs : runs.toReversed()) {
        const measured = await measureRun(run.target, { ...shared, ...run.auth, scenario });
        rounds[run.name]?.push(measured);
        log(describeRound(name, run.name, round + 1, measured));
      }
    }
  } finally {
    await stopAll();
  }
}

/**
 * A run for each kind of credential, which is in its name where there are several: `distributed token`.
 *
 * @param {import('./processes/start-target.mjs').Target} target
 * @returns {{target: typeof target, name: string, auth: {authorization?: string}}[]}
 */
function runsOf(target) {
  const kinds = Object.entries(target.authorizations ?? {});
  if (kinds.length === 0) return [{ target, name: target.name, auth: {} }];
  return kinds.map(([kind, authorization]) => ({
    target,
    name: kinds.length === 1 ? target.name : `${target.name} ${kind}`,
    auth: { authorization },
  }));
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
