/** @typedef {import('../types.js').ScheduleRows} ScheduleRows */
/** @typedef {ScheduleRows['runs'][number]} Run */
/** @typedef {import('../types.js').Violation} Violation */
/** @typedef {import('../types.js').ViolationKind} ViolationKind */

/** Milliseconds after a fire time in which its run is stored, whatever died: a lease of 30 s, and some more. */
const SETTLED_MS = 50_000;

/**
 * Checks a schedule: each fire time up to `nextAt` has one record, and each record of a turn its turn; one is missed
 * only where a later one was due as well, and late only where that may be; a trigger has one turn.
 *
 * @param {ScheduleRows} schedule
 * @returns {Violation[]}
 */
export function checkScheduleRuns(schedule) {
  const { key, firstAt, nextAt, everyMs, settledAt, maxLateMs = Infinity, runs } = schedule;
  /** @type {Violation[]} */
  const found = [];
  const report = (
    /** @type {ViolationKind} */ kind,
    /** @type {string} */ note,
    /** @type {string | null | undefined} */ turnId,
  ) => found.push({ kind, turnId: turnId ?? '', note: `${key}: ${note}` });
  const fired = runs.filter(({ cause }) => cause === 'slot');
  for (let fireAt = firstAt; fireAt < nextAt; fireAt += everyMs) {
    const of = fired.filter((run) => covers(run, fireAt));
    if (of.length === 1) continue;
    report(of.length === 0 ? 'run-lost' : 'run-twice', `${of.length} records of ${at(fireAt)}`);
  }
  if (settledAt !== undefined && nextAt + SETTLED_MS < settledAt) {
    report('run-lost', `${at(nextAt)} is not run at ${at(settledAt)}`);
  }
  for (const run of runs) {
    const fault = faultOf(run, schedule);
    if (fault !== undefined) report('run-lost', `${at(run.fireAt)} ${fault}`, run.turnId);
    const lateMs = run.cause === 'slot' ? run.createdAt - run.fireAt : 0;
    if (lateMs > maxLateMs) report('run-late', `${at(run.fireAt)} was run ${lateMs} ms later`);
  }
  found.push(...checkTurns(schedule), ...checkTriggers(schedule));
  return found;
}

/** @param {Run} run @param {number} fireAt */
function covers(run, fireAt) {
  const until = run.missedUntil ?? run.fireAt + 1;
  return fireAt >= run.fireAt && fireAt < until;
}

/**
 * What is wrong with the outcome of a fire time; undefined: nothing.
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
        : 'was missed, though no later fire time was due';
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
    return [{ kind: /** @type {const} */ ('run-twice'), turnId, note }];
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
    const kind = of.length === 0 ? 'run-lost' : 'run-twice';
    const note = `${key}: ${triggerKey} was acknowledged with ${turnId}, stored: ${of.map((run) => run.turnId).join(' ')}`;
    return [{ kind, turnId, note }];
  });
}

/** @param {number} ms */
function at(ms) {
  return new Date(ms).toISOString();
}
