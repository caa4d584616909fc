import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/**
 * The CPU time of a process and its children, in ms, with children that have ended. A tick is 10 ms: compare
 * over a second or more.
 *
 * @param {number} pid
 */
export function cpuMs(pid) {
  const own = readStat(pid);
  if (own === undefined) throw new Error(`There is no process ${pid}`);
  const children = childrenOf(pid).map((child) => readStat(child)?.alive ?? 0);
  const ticks = own.alive + own.ended + children.reduce((total, value) => total + value, 0);
  return (ticks * 1_000) / ticksPerSecond;
}

/** The direct children; a database's server has no deeper ones. @param {number} pid @returns {number[]} */
function childrenOf(pid) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => readStat(candidate)?.parent === pid);
}

/** @param {number} pid @returns {{parent: number, alive: number, ended: number} | undefined} */
function readStat(pid) {
  let text;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch (error) {
    // The process has exited since the listing.
    if (['ENOENT', 'ESRCH'].includes(/** @type {any} */ (error).code)) return undefined;
    throw error;
  }
  // The name is in parentheses and may contain anything; the fields after it begin with the third.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (/** @type {number} */ number) => Number(fields[number - 3]);
  return { parent: field(4), alive: field(14) + field(15), ended: field(16) + field(17) };
}
