import { setTimeout as delay } from 'node:timers/promises';
import { cpuMs } from './read-cpu.mjs';
import { sampleMemory } from './sample-memory.mjs';

/** Milliseconds after the last frame, in which a target's remaining work (archive, counters) still counts. */
const settleMs = 300;

/**
 * @typedef {import('../load/summarise.mjs').Summary & {
 *   cpuMs: Record<string, number>, idleKb: number, peakKb: number}} Measured
 *   `cpuMs` by group: `own`, each own process by name, `redis`, `postgres`, `model`, `client`.
 */

/**
 * Measures a run of a scenario against a target.
 *
 * @param {import('../processes/start-target.mjs').Target} target
 * @param {{load: ReturnType<typeof import('../processes/open-load.mjs').openLoad>,
 *   scenario: import('../scenarios.mjs').Scenario, projectRoot: string,
 *   others: Record<string, number>, services: Record<string, number>}} options pids of processes
 *   that are not the target's own.
 * @returns {Promise<Measured>}
 */
export async function measureRun(target, { load, scenario, projectRoot, others, services }) {
  const turns = scenario.turns * (target.name === 'direct' ? scenario.directFactor : 1);
  await load.prepare({
    wire: target.wire,
    url: target.url,
    projectRoot,
    scenario: { ...scenario, turns },
  });
  await delay(settleMs);
  const pids = {
    ...Object.fromEntries(target.processes.map(({ name, pid }) => [name, pid])),
    ...(target.usesServices ? services : {}),
    ...others,
  };
  const before = readAll(pids);
  const memory = sampleMemory(target.processes.map(({ pid }) => pid));
  const summary = await load.run();
  await delay(settleMs);
  const after = readAll(pids);
  const used = Object.fromEntries(
    Object.keys(pids).map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)]),
  );
  const own = target.processes.reduce((total, { name }) => total + (used[name] ?? 0), 0);
  return { ...summary, cpuMs: { ...used, own }, ...memory.stop() };
}

/** @param {Record<string, number>} pids @returns {Record<string, number>} */
function readAll(pids) {
  return Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, cpuMs(pid)]));
}
