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

/** Samples the sum over processes until `stop`. @param {number[]} pids */
export function sampleMemory(pids) {
  const total = () => pids.reduce((sum, pid) => sum + residentOrNone(pid), 0);
  const idleKb = total();
  let peakKb = idleKb;
  const timer = setInterval(() => (peakKb = Math.max(peakKb, total())), everyMs).unref();
  return {
    /** @returns {{idleKb: number, peakKb: number}} */
    stop: () => {
      clearInterval(timer);
      return { idleKb, peakKb: Math.max(peakKb, total()) };
    },
  };
}
