import { readFile } from 'node:fs/promises';
import { parseName } from '../plan/turn-names.mjs';
import { query } from './load-rows.mjs';

/**
 * Ids of messages and turns differ in a copy; texts, steps and calls do not. A turn that the provider refused may be
 * missing from a later request: it is left out to try whether it was the cause, and taken back where it was not.
 */
const turnsSql = `select id, session_id, copied_from, replaces, superseded_by, status,
  left_out is not null or coalesce(failure ->> 'status' in ('400', '413', '422'), false) as is_left_out,
  (select parts -> 0 ->> 'text' from messages where turn_id = turns.id and role = 'user' limit 1) as text,
  md5(concat_ws('|', status, end_reason, end_note, output::text,
    (select string_agg(parts::text, '|' order by role) from messages where turn_id = turns.id),
    (select string_agg(parts::text || stop_reason, '|' order by step) from steps where turn_id = turns.id),
    (select string_agg(concat_ws('|', call_id, input::text, status, output), '|' order by call_id)
      from tool_calls where turn_id = turns.id))) as content
  from turns order by created_at, id`;

/**
 * Every turn, oldest first.
 *
 * @param {import('./load-rows.mjs').Pool} pool
 * @param {number} giveUpAt
 * @returns {Promise<import('../types.js').LineRow[]>}
 */
export async function loadLines(pool, giveUpAt) {
  const rows = await query(pool, { sql: turnsSql, giveUpAt });
  return rows.map((row) => ({
    turnId: row['id'],
    sessionId: row['session_id'],
    name: parseName(row['text']),
    copiedFrom: row['copied_from'],
    replaces: row['replaces'],
    supersededBy: row['superseded_by'],
    isLeftOut: row['is_left_out'],
    content: row['content'],
  }));
}

/**
 * The turns that each request to the model had, by the model's own record.
 *
 * @param {string} file
 * @returns {Promise<import('../types.js').View[]>}
 */
export async function readViews(file) {
  const lines = (await readFile(file, 'utf8')).split('\n');
  return lines.filter((line) => line !== '').map((line) => line.split(' '));
}
