import { mayBeSkipped, TRIGGERED } from '../load/run-schedules.mjs';
import { sleep } from '../load/world.mjs';
import { query } from './load-rows.mjs';

/** Milliseconds between two looks. */
const LOOK_MS = 1_000;

/** Milliseconds in which runs are stored that a dead process had claimed: its lease ends after 30 s. */
const SETTLE_MS = 60_000;

const EVERY_MS = 60_000;

const ms = (/** @type {string} */ column) => `extract(epoch from ${column}) * 1000`;
const schedulesSql = `select id, key, catch_up_ms, ${ms('created_at')} as created_ms, ${ms('next_at')} as next_ms
  from schedules`;
const runsSql = `select schedule_id, cause, trigger_key, ${ms('slot')} as slot_ms, outcome, turn_id,
  ${ms('missed_until')} as until_ms, ${ms('created_at')} as created_ms,
  exists (select from turns where turns.id = turn_id) as has_turn from schedule_runs`;
const turnsSql = `select id, split_part(idempotency_key, ':', 2) as schedule_id from turns
  where idempotency_key like 'sched:%'`;

/**
 * Waits until no fire time is overdue, in a run that is long enough for fire times.
 *
 * @param {import('./load-rows.mjs').Pool} pool
 * @returns {Promise<number>} when it was seen, or given up
 */
export async function waitForDueRuns(pool) {
  for (const giveUpAt = Date.now() + SETTLE_MS; ;) {
    const schedules = await query(pool, { sql: schedulesSql, giveUpAt });
    const now = Date.now();
    if (schedules.every((row) => Number(row['next_ms']) > now) || now > giveUpAt) return now;
    await sleep(LOOK_MS);
  }
}

/**
 * The schedules of a run with what is stored of their fire times.
 *
 * @param {import('./load-rows.mjs').Pool} pool
 * @param {{ giveUpAt: number, settledAt: number | undefined, triggers: { triggerKey: string, turnId: string }[] }} run
 * @returns {Promise<import('../types.js').ScheduleRows[]>}
 */
export async function loadSchedules(pool, { giveUpAt, settledAt, triggers }) {
  const ask = (/** @type {string} */ sql) => query(pool, { sql, giveUpAt });
  const [schedules, runs, turns] = [
    await ask(schedulesSql),
    await ask(runsSql),
    await ask(turnsSql),
  ];
  return schedules.map((schedule) => {
    const isOf = (/** @type {Record<string, any>} */ row) => row['schedule_id'] === schedule['id'];
    const own = runs.filter(isOf);
    return {
      key: schedule['key'],
      everyMs: EVERY_MS,
      catchUpMs: schedule['catch_up_ms'],
      firstAt: Math.floor(Number(schedule['created_ms']) / EVERY_MS + 1) * EVERY_MS,
      nextAt: Number(schedule['next_ms']),
      settledAt,
      runs: own.map((row) => ({
        cause: row['cause'],
        triggerKey: row['trigger_key'],
        fireAt: Number(row['slot_ms']),
        outcome: row['outcome'],
        missedUntil: row['until_ms'] === null ? null : Number(row['until_ms']),
        turnId: row['turn_id'],
        hasTurn: row['has_turn'],
        createdAt: Number(row['created_ms']),
      })),
      turnIds: turns.filter(isOf).map((row) => String(row['id'])),
      maySkip: mayBeSkipped.includes(schedule['key']),
      triggers: schedule['key'] === TRIGGERED ? triggers : [],
    };
  });
}
