import { sleep } from '../load/world.mjs';
import { roleOf } from '../plan/plan-faults.mjs';
import { injectFault } from './inject-fault.mjs';

/**
 * Injects every fault of a plan at its time; resolves when all are mended.
 *
 * @param {import('./inject-fault.mjs').Victims} victims
 * @param {readonly import('../types.js').Fault[]} plan
 * @param {{ startAt: number, log: (line: string) => void }} options
 * @throws {AggregateError} if a fault could not be injected or mended
 */
export async function runFaults(victims, plan, { startAt, log }) {
  /** @type {Map<string, Promise<void>>} */
  const mended = new Map();
  const done = await Promise.allSettled(
    plan.map((fault) => {
      // A fault that lasts longer than planned delays the next fault of the same victim.
      const victim = `${roleOf(fault.kind)} ${fault.target}`;
      const before = mended.get(victim) ?? Promise.resolve();
      const one = (async () => {
        await sleep(startAt + fault.atMs - Date.now());
        await before;
        if (victims.over.aborted) return;
        const startedAt = Date.now();
        log(`${describeTime(startedAt - startAt)} ${describeFault(fault)}`);
        const more = await injectFault(victims, fault);
        if (fault.lastsMs > 0) {
          log(
            `${describeTime(Date.now() - startAt)} ${fault.kind} ${fault.target} is mended${more === undefined ? '' : `; ${more}`}`,
          );
        }
      })();
      mended.set(victim, one);
      return one;
    }),
  );
  const errors = done.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  if (errors.length > 0) throw new AggregateError(errors, 'A fault could not be done or mended');
}

/** @param {number} ms */
function describeTime(ms) {
  return `${(ms / 1000).toFixed(1).padStart(6)} s`;
}

/** @param {import('../types.js').Fault} fault */
function describeFault({ kind, target, lastsMs }) {
  return `${kind} ${target}${lastsMs === 0 ? '' : ` for ${lastsMs} ms`}`;
}
