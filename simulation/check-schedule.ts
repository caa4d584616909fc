import { checkLines, checkViews } from '../chaos/check/check-lines.mjs';
import { checkMarks } from '../chaos/check/check-marks.mjs';
import { checkMemory } from '../chaos/check/check-memory.mjs';
import { checkScheduleRuns } from '../chaos/check/check-schedule-runs.mjs';
import { checkTurn } from '../chaos/check/check-turn.mjs';
import { loadLines } from '../chaos/inspect/load-lines.mjs';
import { loadMemory } from '../chaos/inspect/load-memory.mjs';
import { loadRows } from '../chaos/inspect/load-rows.mjs';
import { loadSchedules } from '../chaos/inspect/load-schedules.mjs';
import { markerOf } from '../chaos/plan/plan-turn.mjs';
import type { TurnHistory, TurnRows, View, Violation } from '../chaos/types.js';
import type { ResolvedLimits } from '../src/access/principal.js';
import type { SimulatedDatabase } from './database.js';
import type { BranchRecord } from './run-branches.js';
import type { Server, World } from './server.js';
import { effectTool } from './tools.js';

/** Checks the turns of a schedule as the chaos kit checks those of a cluster. */
export async function checkTurns(
  histories: readonly TurnHistory[],
  { database, effects }: World,
): Promise<Violation[]> {
  const pool = poolOf(database);
  const violations: Violation[] = [];
  for (const history of histories) {
    violations.push(...checkTurn(history, await loadRows(pool, history.turnId, 0)));
  }
  const checked: { turnId: string; calls: TurnRows['calls'] }[] = [];
  // Turns of subagents too.
  for (const { id } of await database.query('select id from turns')) {
    const turnId = String(id);
    const rows = await loadRows(pool, turnId, 0);
    // A tool that may run again has no effects to be counted, and neither has the client's.
    const calls = rows?.calls.filter(({ name }) => name === effectTool) ?? [];
    checked.push({ turnId, calls });
  }
  const counts = [...effects].map(
    ([command, count]) => [markerOf(command) ?? command, count] as const,
  );
  return [...violations, ...checkMarks(checked, new Map(counts))];
}

function poolOf(database: SimulatedDatabase) {
  return {
    query: async (sql: string, values: unknown[]) => ({ rows: await database.query(sql, values) }),
  };
}

/** Longest time from a fire time to its run where no process dies, in ms: clocks differ by up to 1.5 s. */
const MAX_LATE_MS = 5_000;

/** Checks lines, forks, memories and schedules as the chaos kit checks those of a cluster. */
export async function checkBranches(
  { sessions, lines, triggers }: BranchRecord,
  views: readonly View[],
  { database }: World,
  isTimed: boolean,
): Promise<Violation[]> {
  const pool = poolOf(database);
  const rows = await loadLines(pool, 0);
  const memories = await loadMemory(pool, 0);
  const maxLateMs = isTimed ? MAX_LATE_MS : undefined;
  const reading = { giveUpAt: 0, settledAt: undefined, triggers };
  const schedules = await loadSchedules(pool, reading);
  return [
    ...checkLines(sessions, rows),
    ...checkViews(views, lines, rows),
    ...memories.flatMap(({ calls, files }) => checkMemory(calls, files)),
    ...schedules.flatMap((schedule) => checkScheduleRuns({ ...schedule, maxLateMs })),
  ];
}

/**
 * What the selects below ask: tokens of the principal's day, 0 for no limit, and the number of faults that
 * may cost a process its turns; and when each turn stored its first step and its end, as numbers of
 * transactions, since clocks differ.
 */
const withParams = `with params as (select $1::bigint as max_tokens, $2::integer as faults),
  spans as (select id, session_id, parent_turn_id,
    (select min(xmin::text::bigint) from steps where turn_id = turns.id) as begun,
    (select xmin::text::bigint from messages where turn_id = turns.id and role = 'assistant' limit 1) as ended
    from turns)`;

/** Rows that break a promise, by what they say. */
const brokenPromises: { kind: Violation['kind']; select: string }[] = [
  {
    kind: 'limit-overrun',
    // The reservation of a process that died stands until the day is over.
    select: `select principal_id as id, tokens || ' tokens of ' || max_tokens || ', reserved ' || reserved_tokens as note
      from usage_days, params where (reserved_tokens <> 0 and faults = 0) or (tokens > max_tokens and max_tokens > 0)`,
  },
  {
    kind: 'message-lost',
    // The end of a turn takes messages that were not delivered: no step comes after those.
    select: `select turn_id as id, 'not answered: ' || text as note
      from joined_messages join turns on turns.id = turn_id
      where turns.status = 'completed' and (after_step is null
        or after_step >= (select max(step) from steps where steps.turn_id = turns.id))`,
  },
  {
    kind: 'outlived-parent',
    // A parent ends before its subagent only where it says so.
    select: `select child.id, 'ended after its parent, which did not say so' as note
      from spans child join spans parent on parent.id = child.parent_turn_id
      where child.ended > parent.ended and not exists (select from turn_archives
        where turn_id = parent.id and events::jsonb @> '[{"kind": "subagent-not-ended"}]')`,
  },
  {
    kind: 'overlap',
    select: `select later.id, 'began before the end of ' || earlier.id as note
      from spans later join spans earlier on earlier.session_id = later.session_id
      where later.begun > earlier.begun and later.begun < earlier.ended`,
  },
  {
    kind: 'taken-over',
    select: `select turn_id as id, 'attempt ' || attempt || ' recovers, though nothing failed' as note
      from turn_archives, params where faults = 0 and events::jsonb @> '[{"type": "turn.recovering"}]'`,
  },
];

/**
 * Checks the database after all turns have ended.
 *
 * @param faults number of faults that may cost a process its turns.
 */
export async function checkDatabase(
  { database }: World,
  { tokensPerDay }: ResolvedLimits,
  faults: number,
): Promise<Violation[]> {
  const breaches = await database.query('select kind, turn_id as id, note from breaches');
  const violations = breaches.map(({ kind, ...row }) => violation(kind as Violation['kind'], row));
  for (const { kind, select } of brokenPromises) {
    const rows = await database.query(`${withParams} ${select}`, [tokensPerDay, faults]);
    violations.push(...rows.map((row) => violation(kind, row)));
  }
  const { peakTokens } = database;
  if (tokensPerDay > 0 && peakTokens > tokensPerDay) {
    const note = `${peakTokens} tokens of ${tokensPerDay} while calls ran`;
    violations.push({ kind: 'limit-overrun', turnId: '', note });
  }
  return violations;
}

function violation(kind: Violation['kind'], { id, note }: Record<string, unknown>): Violation {
  return { kind, turnId: String(id), note: String(note) };
}

/** Checks what stopped processes left: nobody waits, and no process has a timer. */
export function checkRest({ scheduler }: World, servers: readonly Server[]): Violation[] {
  const failed = servers.flatMap(({ problems }) =>
    problems.map((note): Violation => ({ kind: 'unclean-exit', turnId: '', note })),
  );
  const left = scheduler
    .waiting()
    .filter((name) => servers.some((server) => name.startsWith(`${server.name}.`)))
    .map((note): Violation => ({ kind: 'leaked-process', turnId: '', note: `${note} waits` }));
  return [...failed, ...left];
}
