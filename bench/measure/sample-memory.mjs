import { readFileSync } from 'node:fs';

const everyMs = 50;

/** Resident memory of a process, in KB. @param {number} pid */
export function residentKb(pid) {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(text)?.[1] ?? NaN);
}

/** Samples the sum over processes until `stop`. @param {number[]} pids */
export function sampleMemory(pids) {
  const total = () => pids.reduce((sum, pid) => sum + residentKb(pid), 0);
  const idleKb = total();
  let peakKb = idleKb;
  const timer = setInterval(() => (peakKb = Math.max(peakKb, total())), everyMs);
  return {
    /** @returns {{idleKb: number, peakKb: number}} */
    stop: () => {
      clearInterval(timer);
      return { idleKb, peakKb: Math.max(peakKb, total()) };
    },
  };
}
