import type { ScheduleOptions, ScheduleOutcome } from './run-schedule.js';

/** A part of a schedule. */
export type Less = Required<Pick<ScheduleOptions, 'faults' | 'withoutSessions'>>;

/** Most sessions of a schedule. */
const MAX_SESSIONS = 3;

/**
 * Makes a failing schedule smaller: leaves out each fault and each session without which the same kind of
 * violation is still found.
 */
export async function shrink(
  failed: ScheduleOutcome,
  given: Less,
  run: (less: Less) => Promise<ScheduleOutcome>,
): Promise<{ outcome: ScheduleOutcome; less: Less }> {
  const kinds = new Set(failed.violations.map(({ kind }) => kind));
  let smallest = { outcome: failed, less: given };
  const attempt = async (less: Less): Promise<void> => {
    const outcome = await run(less);
    const isSame = outcome.violations.some(({ kind }) => kinds.has(kind));
    if (isSame) smallest = { outcome, less };
  };
  for (let number = 1; number <= given.faults.most; number += 1) {
    const { without = [], ...rules } = smallest.less.faults;
    const rest = { ...rules, without: [...without, number] };
    await attempt({ ...smallest.less, faults: rest });
  }
  for (let number = 1; number <= MAX_SESSIONS; number += 1) {
    const { withoutSessions: left } = smallest.less;
    await attempt({ ...smallest.less, withoutSessions: [...left, number] });
  }
  return smallest;
}
