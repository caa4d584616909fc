import { onDatabase } from '../processes/open-stores.mjs';

/** What sessions and turns leave behind, in the order of references. */
const tables = ['sessions', 'turns', 'messages', 'steps', 'turn_archives', 'audit_log'];
const keys = ['id', 'session_id', 'turn_id'];
/** Hexadecimal digits at the end of a copied id, which number the copy. */
const copyDigits = 6;
const copiesAtATime = 500;
const MAX_MS = 20 * 60_000;

/**
 * Copies all sessions of a database with their turns, `copies` times, so that the rows are as the product writes
 * them. Each copy has ids of its own, and is half a minute older than the one before.
 *
 * @param {string} databaseUrl @param {number} copies @param {(line: string) => void} log
 * @returns {Promise<void>}
 * @throws {Error} after twenty minutes.
 */
export async function fillDatabase(databaseUrl, copies, log) {
  const startedAt = Date.now();
  await onDatabase(databaseUrl, async (database) => {
    // Without the checks of foreign keys, which would take longer than the rows.
    await database.query(`SET session_replication_role = replica; SET synchronous_commit = off`);
    const selects = [];
    for (const table of tables) {
      selects.push(await selectCopies(database, table));
      await database.query(`CREATE TEMP TABLE first_${table} AS TABLE ${table}`);
    }
    for (let from = 1; from <= copies; from += copiesAtATime) {
      const through = Math.min(copies, from + copiesAtATime - 1);
      for (const select of selects) await database.query(select, [from, through]);
      if (Date.now() - startedAt > MAX_MS)
        throw new Error(`${through} of ${copies} copies in time`);
    }
    // As autovacuum would, in time.
    for (const table of tables) await database.query(`VACUUM (ANALYZE) ${table}`);
  });
  log(`sessions: filled in ${Math.round((Date.now() - startedAt) / 1_000)} s`);
}

/** The id of a copied row. @param {string} id @param {number} copy */
export function copyOfId(id, copy) {
  return id.slice(0, -copyDigits) + copy.toString(16).padStart(copyDigits, '0');
}

/** @param {import('pg').Client} database @param {string} table @returns {Promise<string>} */
async function selectCopies(database, table) {
  const { rows } = await database.query(
    `SELECT quote_ident(column_name) AS name, data_type AS type FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = $1 ORDER BY ordinal_position`,
    [table],
  );
  const values = rows.map(({ name, type }) => {
    if (keys.includes(name))
      return `left(${name}, -${copyDigits}) || lpad(to_hex(copy), ${copyDigits}, '0')`;
    if (type === 'timestamp with time zone') return `${name} - copy * interval '30 seconds'`;
    return name;
  });
  const names = rows.map(({ name }) => name).join(', ');
  return `INSERT INTO ${table} (${names})
    SELECT ${values.join(', ')} FROM first_${table}, generate_series($1::int, $2::int) copy`;
}
