import { setTimeout as delay } from 'node:timers/promises';
import { cpuMs } from './read-cpu.mjs';
import { sampleMemory } from './sample-memory.mjs';

/** Milliseconds after the last frame, in which a target's remaining work (archive, counters) still counts. */
export const settleMs = 300;

/**
 * @typedef {import('../load/summarise.mjs').Summary & ReturnType<ReturnType<typeof sampleMemory>['stop']> & {
 *   cpuMs: Record<string, number>, calls: number, sentBytes: number}} Measured
 *   `cpuMs` by group: `own`, each own process by name, `redis`, `postgres`, `product` (own, Redis and
 *   PostgreSQL, where they are known), `model`, `client`. `calls` of the model, with `sentBytes` in all.
 */

/**
 * Measures a run of a scenario against a target.
 *
 * @param {import('../processes/start-target.mjs').Target} target
 * @param {{load: ReturnType<typeof import('../processes/open-load.mjs').openLoad>,
 *   scenario: import('../scenarios.mjs').Scenario, projectRoot: string, modelUrl: string,
 *   others: Record<string, number>, services: Record<string, number>, authorization?: string}} options pids
 *   of processes that are not the target's own; the header of requests to it.
 * @returns {Promise<Measured>}
 */
export async function measureRun(target, options) {
  const { load, scenario, projectRoot, modelUrl, others, services, authorization } = options;
  const turns = scenario.turns * (target.name === 'direct' ? scenario.directFactor : 1);
  await load.prepare({
    wire: target.wire,
    urls: target.urls,
    authorization,
    projectRoot,
    scenario: { ...scenario, turns },
  });
  await delay(settleMs);
  const own = Object.fromEntries(target.processes.map(({ name, pid }) => [name, pid]));
  const used = target.usesServices ? services : {};
  const spent = startCpu({ ...own, ...used, ...others });
  const seenBefore = await seenByModel(modelUrl);
  const memory = sampleMemory(own);
  const redis = sampleMemory('redis' in used ? { redis: used['redis'] } : {});
  const summary = await load.run();
  await delay(settleMs);
  const seen = await seenByModel(modelUrl);
  const cpu = spent();
  const sum = (/** @type {string[]} */ names) =>
    names.reduce((total, name) => total + (cpu[name] ?? NaN), 0);
  const names = Object.keys(own);
  const taken = memory.stop();
  return {
    ...summary,
    ...taken,
    peaksKb: { ...taken.peaksKb, ...redis.stop().peaksKb },
    cpuMs: {
      ...cpu,
      own: sum(names),
      product: sum(target.usesServices ? [...names, 'redis', 'postgres'] : names),
    },
    calls: seen.requests - seenBefore.requests,
    sentBytes: seen.bytes - seenBefore.bytes,
  };
}

/** @param {Record<string, number>} pids @returns {() => Record<string, number>} the CPU since, in ms. */
export function startCpu(pids) {
  const before = new Map(Object.entries(pids).map(([name, pid]) => [name, cpuMs(pid)]));
  return () =>
    Object.fromEntries(
      Object.entries(pids).map(([name, pid]) => [name, cpuMs(pid) - (before.get(name) ?? NaN)]),
    );
}

/** @param {string} modelUrl @returns {Promise<{requests: number, bytes: number}>} */
export async function seenByModel(modelUrl) {
  const response = await fetch(`${modelUrl}/seen`);
  return response.json();
}
