import { checkMarks } from '../chaos/check/check-marks.mjs';
import { checkTurn } from '../chaos/check/check-turn.mjs';
import { loadRows } from '../chaos/inspect/load-rows.mjs';
import { markerOf } from '../chaos/plan/plan-turn.mjs';
import type { TurnHistory, TurnRows, Violation } from '../chaos/types.js';
import type { ResolvedLimits } from '../src/access/principal.js';
import type { Server, World } from './server.js';
import { effectTool } from './tools.js';

/** Checks the turns of a schedule as the chaos kit checks those of a cluster. */
export async function checkTurns(
  histories: readonly TurnHistory[],
  { database, effects }: World,
): Promise<Violation[]> {
  const pool = {
    query: async (sql: string, values: unknown[]) => ({ rows: await database.query(sql, values) }),
  };
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

/** Longest time for which a subagent goes on after its parent's end, in ms. */
const CHILD_ENDS_MS = 15_000;

/** Rows that break a promise, by what they say. `$1`: tokens of the principal's day, 0 for no limit; `$2`: faults. */
const brokenPromises: { kind: Violation['kind']; select: string }[] = [
  {
    kind: 'limit-overrun',
    // The reservation of a process that died stands until the day is over.
    select: `select principal_id as id, tokens || ' tokens of ' || $1::bigint || ', reserved ' || reserved_tokens as note
      from usage_days where (reserved_tokens <> 0 and $2::integer = 0) or (tokens > $1::bigint and $1::bigint > 0)`,
  },
  {
    kind: 'message-lost',
    select: `select turn_id as id, 'not delivered: ' || text as note from joined_messages join turns on turns.id = turn_id
      where after_step is null and turns.status = 'completed' and $1::bigint >= 0 and $2::integer >= 0`,
  },
  {
    kind: 'outlived-parent',
    select: `select child.id, child.status || ', ' || (child.ended_at - parent.ended_at) as note
      from turns child join turns parent on parent.id = child.parent_turn_id
      where child.ended_at > parent.ended_at + interval '${CHILD_ENDS_MS} milliseconds' and $1::bigint >= 0 and $2::integer >= 0`,
  },
];

/** Checks the database after all turns have ended. */
export async function checkDatabase(
  { database }: World,
  { tokensPerDay }: ResolvedLimits,
  faults: number,
): Promise<Violation[]> {
  const found = await Promise.all(
    brokenPromises.map(async ({ kind, select }) => {
      const rows = await database.query(select, [tokensPerDay, faults]);
      return rows.map(({ id, note }) => ({ kind, turnId: String(id), note: String(note) }));
    }),
  );
  return found.flat();
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
