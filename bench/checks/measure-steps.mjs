import { openSessions } from '../load/open-sessions.mjs';
import { cpuMs } from '../measure/read-cpu.mjs';
import { median } from '../measure/median-of.mjs';
import { startTarget } from '../processes/start-target.mjs';
import { postTurn } from './read-frames.mjs';

const shortSteps = 5;
const longSteps = 200;
const window = 20;

/**
 * Measures the cost of a tool step in a turn of 5 and at the end of a turn of 200. The model reads the whole request
 * and does not parse it.
 *
 * @param {import('./finding.mjs').BenchContext} context @param {string} name of the target.
 * @returns {Promise<import('./finding.mjs').Finding[]>}
 */
export async function measureSteps({ setup, projectRoot, onStop }, name) {
  const target = await startTarget(name, setup);
  onStop(target.stop);
  try {
    const turns = (longSteps / shortSteps) * 2;
    const sessions = await openSessions(target.url, turns + 3, projectRoot);
    const run = (/** @type {number} */ steps) => runSteps(target, sessions.pop() ?? '', steps);
    await run(40);
    const short = [];
    for (let turn = 0; turn < turns; turn += 1) short.push(await run(shortSteps));
    const long = [await run(longSteps), await run(longSteps)];
    const early = median(short.flatMap(({ gaps }) => gaps));
    const late = median(long.flatMap(({ gaps }) => gaps.slice(-window)));
    const shortCpu = sum(short.map(({ cpu }) => cpu)) / (turns * shortSteps);
    const longCpu = sum(long.map(({ cpu }) => cpu)) / (long.length * longSteps);
    const between = `turns of ${shortSteps} → ${longSteps}`;
    return [
      { what: `${name}: step in a turn of ${shortSteps}, p50`, value: early, unit: 'ms' },
      { what: `${name}: last ${window} steps of ${longSteps}, p50`, value: late, unit: 'ms' },
      { what: `${name}: time of a step, last / first`, value: late / early, unit: '×', most: 1.15 },
      {
        what: `${name}: own CPU of a step, ${between}`,
        value: longCpu / shortCpu,
        unit: '×',
        most: 1.15,
        note: `${shortCpu.toFixed(1)} → ${longCpu.toFixed(1)} ms`,
      },
    ];
  } finally {
    await target.stop();
  }
}

/** @param {import('../processes/start-target.mjs').Target} target @param {string} sessionId @param {number} steps */
async function runSteps(target, sessionId, steps) {
  const used = () => sum(target.processes.map(({ pid }) => cpuMs(pid)));
  const before = used();
  const starts = [];
  let exit = '';
  const message = `[[tokens=10 steps=${steps}]]`;
  const opts = { maxTurns: steps + 10 };
  for await (const frame of postTurn(target.url, { sessionId, message, opts })) {
    if (frame.event === 'step:start') starts.push(frame.atMs);
    if (frame.event === 'process:exit') exit = frame.data;
  }
  if (exit !== '{"exitCode":0}' || starts.length !== steps + 1) {
    throw new Error(`A turn of ${steps} steps ended with ${exit} after ${starts.length}`);
  }
  const gaps = starts.slice(1).map((at, index) => at - (starts[index] ?? NaN));
  return { gaps, cpu: used() - before };
}

/** @param {number[]} values */
const sum = (values) => values.reduce((total, value) => total + value, 0);
