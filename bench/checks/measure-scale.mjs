import { measureRun } from '../measure/measure-run.mjs';
import { median } from '../measure/median-of.mjs';
import { startDistributed, startTarget } from '../processes/start-target.mjs';
import { warmUp } from '../scenarios.mjs';

const mostP90Ms = 50;
const firstStreams = 100;
const factor = 1.5;
const MAX_STREAMS = 4_000;
const env = { TURNPIKE_WORKER_CONCURRENCY: String(MAX_STREAMS) };

/** @typedef {{streams: number, p90: number}} Step */

/**
 * Measures how many streams of a slow model, at 20 ms a delta, one worker and one API carry, and two of each, until
 * the p90 of the latency passes 50 ms. The load alternates between the APIs, as behind a load balancer. It takes
 * a machine whose other cores carry the model, the load, Redis and PostgreSQL: the last figure says what
 * these need alone.
 *
 * @param {import('./finding.mjs').BenchContext} context
 * @returns {Promise<import('./finding.mjs').Finding[]>}
 */
export async function measureScale(context) {
  const { setup, options, onStop, log } = context;
  /** @type {{one: number, two: number}[]} */
  const rounds = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    const carried = { one: NaN, two: NaN };
    for (const [name, count] of /** @type {const} */ ([
      ['one', 1],
      ['two', 2],
    ])) {
      const target = await startDistributed(setup, env, count);
      onStop(target.stop);
      try {
        carried[name] = await raiseStreams(context, target);
      } finally {
        await target.stop();
      }
    }
    log(`scale ${round}: ${carried.one.toFixed(0)} streams, ${carried.two.toFixed(0)} with two`);
    rounds.push(carried);
  }
  const [one, two] = [median(rounds.map((its) => its.one)), median(rounds.map((its) => its.two))];
  const streams = Math.round(two);
  const direct = await runStep(context, await startTarget('direct', setup), streams);
  return [
    { what: 'one worker and one API, streams at 20 ms a delta', value: one, unit: 'streams' },
    { what: 'two workers and two APIs', value: two, unit: 'streams' },
    {
      what: 'two workers and two APIs beside one of each',
      value: median(rounds.map((its) => its.two / its.one)),
      unit: '×',
      least: 1.8,
      aim: 1.95,
    },
    { what: `model and load alone, p90 of ${streams} streams`, value: direct.p90, unit: 'ms' },
  ];
}

/**
 * @param {import('./finding.mjs').BenchContext} context
 * @param {import('../processes/start-target.mjs').Target} target
 * @returns {Promise<number>} the streams at which the p90 passes 50 ms, between the steps before and after.
 */
async function raiseStreams(context, target) {
  await measureRun(target, { ...partsOf(context), scenario: warmUp });
  /** @type {Step} */
  let below = { streams: 0, p90: 0 };
  for (let streams = firstStreams; streams <= MAX_STREAMS; streams = Math.round(streams * factor)) {
    const step = await runStep(context, target, streams);
    if (step.p90 > mostP90Ms) {
      const share = (mostP90Ms - below.p90) / (step.p90 - below.p90);
      return below.streams + share * (streams - below.streams);
    }
    below = step;
  }
  throw new Error(`The p90 is ${below.p90.toFixed(0)} ms with ${below.streams} streams`);
}

/**
 * @param {import('./finding.mjs').BenchContext} context
 * @param {import('../processes/start-target.mjs').Target} target @param {number} streams
 * @returns {Promise<Step>}
 */
async function runStep(context, target, streams) {
  const scenario = {
    about: `${streams} streams, 100 deltas, 20 ms`,
    streams,
    deltas: 100,
    gapMs: 20,
    rampMs: 1_000,
    turns: streams,
    directFactor: 1,
  };
  const measured = await measureRun(target, { ...partsOf(context), scenario });
  const { errors, lost, reasons, latencyMs } = measured;
  if (errors + lost > 0) throw new Error(`${errors} turns failed: ${reasons.join('; ')}`);
  const cpu = ((measured.cpuMs['product'] ?? NaN) / measured.seconds / 1_000).toFixed(1);
  context.log(
    `scale ${target.name}: ${streams} streams, p90 ${latencyMs.p90.toFixed(1)} ms, ${cpu} cores`,
  );
  return { streams, p90: latencyMs.p90 };
}

/** @param {import('./finding.mjs').BenchContext} context */
function partsOf({ setup, load, projectRoot, others, services }) {
  return { load, projectRoot, modelUrl: setup.modelUrl, others, services };
}
