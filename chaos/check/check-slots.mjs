/** @typedef {import('../types.js').ScheduleRows} ScheduleRows */
/** @typedef {ScheduleRows['runs'][number]} Run */
/** @typedef {import('../types.js').Violation} Violation */
/** @typedef {import('../types.js').ViolationKind} ViolationKind */

/** Milliseconds after its time at which a slot has been run, whatever died: a lease of 30 s, and some more. */
const SETTLED_MS = 50_000;

/**
 * Checks a schedule: each slot up to `nextAt` has one record, and each record of a turn its turn; a slot is missed
 * only where a later one was due as well, and late only where that may be; a trigger has one turn.
 *
 * @param {ScheduleRows} schedule
 * @returns {Violation[]}
 */
export function checkSlots(schedule) {
  const { key, firstAt, nextAt, everyMs, settledAt, maxLateMs = Infinity, runs } = schedule;
  /** @type {Violation[]} */
  const found = [];
  const report = (
    /** @type {ViolationKind} */ kind,
    /** @type {string} */ note,
    /** @type {string | null | undefined} */ turnId,
  ) => found.push({ kind, turnId: turnId ?? '', note: `${key}: ${note}` });
  const slots = runs.filter(({ cause }) => cause === 'slot');
  for (let slot = firstAt; slot < nextAt; slot += everyMs) {
    const of = slots.filter((run) => covers(run, slot));
    if (of.length === 1) continue;
    report(of.length === 0 ? 'slot-lost' : 'slot-twice', `${of.length} records of ${at(slot)}`);
  }
  if (settledAt !== undefined && nextAt + SETTLED_MS < settledAt) {
    report('slot-lost', `${at(nextAt)} is not run at ${at(settledAt)}`);
  }
  for (const run of runs) {
    const fault = faultOf(run, schedule);
    if (fault !== undefined) report('slot-lost', `${at(run.slot)} ${fault}`, run.turnId);
    const lateMs = run.cause === 'slot' ? run.createdAt - run.slot : 0;
    if (lateMs > maxLateMs) report('slot-late', `${at(run.slot)} was run ${lateMs} ms later`);
  }
  found.push(...checkTurns(schedule), ...checkTriggers(schedule));
  return found;
}

/** @param {Run} run @param {number} slot */
function covers(run, slot) {
  const until = run.missedUntil ?? run.slot + 1;
  return slot >= run.slot && slot < until;
}

/**
 * What is wrong with the outcome of a slot; undefined: nothing.
 *
 * @param {Run} run
 * @param {ScheduleRows} schedule
 */
function faultOf({ outcome, turnId, hasTurn, missedUntil, createdAt }, { maySkip, catchUpMs }) {
  switch (outcome) {
    case 'submitted':
      return turnId !== null && hasTurn ? undefined : `has no turn ${turnId}`;
    case 'skipped':
      return maySkip ? undefined : 'was skipped, though turns of the schedule may overlap';
    case 'refused':
      return 'was refused';
    case 'missed':
      return missedUntil !== null && (missedUntil <= createdAt || catchUpMs === 0)
        ? undefined
        : 'was missed, though no later slot was due';
    default:
      throw new Error(`Unknown outcome: ${String(outcome)}`);
  }
}

/**
 * @param {ScheduleRows} schedule
 * @returns {Violation[]}
 */
function checkTurns({ key, runs, turnIds }) {
  return turnIds.flatMap((turnId) => {
    const count = runs.filter((run) => run.turnId === turnId).length;
    if (count === 1) return [];
    const note = `${key}: a turn with ${count} records`;
    return [{ kind: /** @type {const} */ ('slot-twice'), turnId, note }];
  });
}

/**
 * @param {ScheduleRows} schedule
 * @returns {Violation[]}
 */
function checkTriggers({ key, runs, triggers }) {
  return triggers.flatMap(({ triggerKey, turnId }) => {
    const of = runs.filter((run) => run.triggerKey === triggerKey);
    if (of.length === 1 && of[0]?.turnId === turnId) return [];
    const kind = of.length === 0 ? 'slot-lost' : 'slot-twice';
    const note = `${key}: ${triggerKey} was acknowledged with ${turnId}, stored: ${of.map((run) => run.turnId).join(' ')}`;
    return [{ kind, turnId, note }];
  });
}

/** @param {number} ms */
function at(ms) {
  return new Date(ms).toISOString();
}
