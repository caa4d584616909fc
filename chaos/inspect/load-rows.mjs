import { sleep } from '../load/world.mjs';

/** @typedef {import('../types.js').TurnRows} TurnRows */

/** Milliseconds between two tries of a query, since PostgreSQL may be down as planned. */
const RETRY_MS = 250;

/**
 * A pool of connections to PostgreSQL, or anything that takes the same queries.
 *
 * @typedef {{ query: (sql: string, values: unknown[]) => Promise<{ rows: Record<string, any>[] }> }} Pool
 */

/**
 * A query that outlives a restart of the database.
 *
 * @param {Pool} pool
 * @param {{ sql: string, values?: unknown[], giveUpAt: number }} wanted
 * @returns {Promise<Record<string, any>[]>}
 */
export async function query(pool, { sql, values = [], giveUpAt }) {
  for (;;) {
    try {
      return (await pool.query(sql, values)).rows;
    } catch (error) {
      if (Date.now() > giveUpAt) throw error;
      await sleep(RETRY_MS);
    }
  }
}

const turnSql = `select id, status, attempt, exit_code, end_reason, end_note, lease_until is not null as is_leased, output,
  failure ->> 'errorType' as failure,
  extract(epoch from ended_at) * 1000 as ended_ms from turns where id = $1`;
const stepsSql = 'select parts from steps where turn_id = $1 order by step';
const callsSql = `select call_id, name, input, case status when 'refused' then 'denied' else status end as status
  from tool_calls where turn_id = $1`;
const messagesSql = `select count(*) as count from messages where turn_id = $1 and role = 'assistant'`;

/**
 * @param {Pool} pool
 * @param {string} turnId
 * @param {number} giveUpAt
 * @returns {Promise<TurnRows | undefined>} undefined: the database does not have it
 */
export async function loadRows(pool, turnId, giveUpAt) {
  const ask = (/** @type {string} */ sql) => query(pool, { sql, values: [turnId], giveUpAt });
  const [turn] = await ask(turnSql);
  if (turn === undefined) return undefined;
  const [steps, calls, messages] = [
    await ask(stepsSql),
    await ask(callsSql),
    await ask(messagesSql),
  ];
  return {
    turn: {
      id: turn['id'],
      status: turn['status'],
      attempt: turn['attempt'],
      exitCode: turn['exit_code'],
      endReason: turn['end_reason'],
      isLeased: turn['is_leased'],
      endedAt: turn['ended_ms'] === null ? null : Number(turn['ended_ms']),
      output: turn['output'],
      failure: turn['failure'],
    },
    replyText: withNote(steps.map((step) => textOf(step['parts'])).join(''), turn['end_note']),
    assistantMessages: Number(messages[0]?.['count']),
    calls: calls.map((call) => ({
      callId: call['call_id'],
      name: call['name'],
      status: call['status'],
      command: call['input']?.command,
    })),
  };
}

/** The note at the end of a limited turn's reply. @param {string} text @param {string | null} note */
function withNote(text, note) {
  return [text, note ?? ''].filter((part) => part !== '').join('\n\n');
}

/** @param {{ type: string, text: string }[]} parts */
function textOf(parts) {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
