import { checkMarks } from '../chaos/check/check-marks.mjs';
import { checkTurn } from '../chaos/check/check-turn.mjs';
import { loadRows } from '../chaos/inspect/load-rows.mjs';
import { markerOf } from '../chaos/plan/plan-turn.mjs';
import type { TurnHistory, TurnRows, Violation } from '../chaos/types.js';
import type { Server, World } from './server.js';
import { safeTool } from './tools.js';

/** Checks the turns of a schedule as the chaos kit checks those of a cluster. */
export async function checkTurns(
  histories: readonly TurnHistory[],
  { database, effects }: World,
): Promise<Violation[]> {
  const pool = {
    query: async (sql: string, values: unknown[]) => ({ rows: await database.query(sql, values) }),
  };
  const checked: { turnId: string; calls: TurnRows['calls'] }[] = [];
  const violations: Violation[] = [];
  for (const history of histories) {
    const { turnId } = history;
    const rows = await loadRows(pool, turnId, 0);
    violations.push(...checkTurn(history, rows));
    // A tool that may run again has no effects to be counted.
    const calls = rows?.calls.filter(({ name }) => name !== safeTool) ?? [];
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
