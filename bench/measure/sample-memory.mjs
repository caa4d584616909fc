import { existsSync, readFileSync } from 'node:fs';

const everyMs = 50;

/** Resident memory of a process, in KB. @param {number} pid */
export function residentKb(pid) {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(text)?.[1] ?? NaN);
}

/** A run that is broken off ends its processes while they are sampled. @param {number} pid */
function residentOrNone(pid) {
  return existsSync(`/proc/${pid}/status`) ? residentKb(pid) : 0;
}

/**
 * Samples processes until `stop`: the peak of each, and of their sum.
 *
 * @param {Record<string, number>} pids by name.
 */
export function sampleMemory(pids) {
  /** @type {Record<string, number>} */
  const peaksKb = {};
  let peakKb = 0;
  const sample = () => {
    let sum = 0;
    for (const [name, pid] of Object.entries(pids)) {
      const kb = residentOrNone(pid);
      peaksKb[name] = Math.max(peaksKb[name] ?? 0, kb);
      sum += kb;
    }
    peakKb = Math.max(peakKb, sum);
  };
  sample();
  const idleKb = peakKb;
  const timer = setInterval(sample, everyMs).unref();
  return {
    /** @returns {{idleKb: number, peakKb: number, peaksKb: Record<string, number>}} */
    stop: () => {
      clearInterval(timer);
      sample();
      return { idleKb, peakKb, peaksKb };
    },
  };
}
