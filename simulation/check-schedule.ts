import { checkMarks } from '../chaos/check/check-marks.mjs';
import { checkTurn } from '../chaos/check/check-turn.mjs';
import { loadRows } from '../chaos/inspect/load-rows.mjs';
import { markerOf } from '../chaos/plan/plan-turn.mjs';
import type { TurnHistory, TurnRows, Violation } from '../chaos/types.js';
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
