import { query } from './load-rows.mjs';

/** A fork's copies of calls have written nothing. */
const callsSql = `select principal_id, turn_id, call_id, input, tool_calls.status from tool_calls
  join turns on turns.id = turn_id where name = 'memory' and copied_from is null
  order by turns.created_at, turns.id, step`;
const filesSql = 'select principal_id, path, content from memory_files';

/**
 * The calls of the memory tool, in their order, and the files that they left, for each person.
 *
 * @param {import('./load-rows.mjs').Pool} pool
 * @param {number} giveUpAt
 * @returns {Promise<{ calls: import('../types.js').MemoryCallRow[], files: Map<string, string> }[]>}
 */
export async function loadMemory(pool, giveUpAt) {
  const calls = await query(pool, { sql: callsSql, giveUpAt });
  const files = await query(pool, { sql: filesSql, giveUpAt });
  const people = new Set([...calls, ...files].map((row) => String(row['principal_id'])));
  return [...people].map((principal) => ({
    calls: calls
      .filter((row) => row['principal_id'] === principal)
      .map((row) => ({
        turnId: row['turn_id'],
        callId: row['call_id'],
        input: row['input'],
        status: row['status'],
      })),
    files: new Map(
      files
        .filter((row) => row['principal_id'] === principal)
        .map((row) => [row['path'], row['content']]),
    ),
  }));
}
