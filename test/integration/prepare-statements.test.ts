import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PGlite } from '@electric-sql/pglite';
import { prepareStatements } from '../../simulation/prepare-statements.js';

describe('the embedded engine with prepared statements', () => {
  let plain: PGlite;
  let prepared: PGlite;
  beforeAll(async () => {
    [plain, prepared] = [await PGlite.create(), await PGlite.create()];
    for (const engine of [plain, prepared]) {
      await engine.exec('create table t (id integer primary key, at timestamptz, body json)');
    }
    prepareStatements(prepared);
  });
  afterAll(async () => {
    await plain.close();
    await prepared.close();
  });

  it.each<[string, unknown[][]]>([
    [
      'select $1::text as a, $2::integer as b, $3::json as c',
      [
        ['x', 1, { y: [1] }],
        [null, 2, '{}'],
      ],
    ],
    [
      'select * from unnest($1::text[], $2::json[], $3::boolean[]) input (a, b, c)',
      [
        [
          ['x', 'y"\\'],
          ['{"z":1}', null],
          [true, false],
        ],
        [[], [], []],
      ],
    ],
    [
      'insert into t values ($1, $2, $3) returning *',
      [
        [1, new Date(0), '{"a":1}'],
        [2, '2026-01-01T00:00:00Z', 'null'],
      ],
    ],
    [
      'update t set body = $1 where id > $2',
      [
        ['{}', 5],
        ['{}', 0],
      ],
    ],
  ])('answers as without: %s', async (text, calls) => {
    // The second call is the first of the prepared statement.
    for (const values of [...calls, ...calls.slice(0, text.startsWith('insert') ? 0 : 2)]) {
      for (const options of [{ rowMode: 'array' as const }, { rowMode: 'object' as const }]) {
        if (text.startsWith('insert') && options.rowMode === 'object') continue;
        const expected = await plain.query(text, values, options);
        expect(await prepared.query(text, values, options)).toEqual(expected);
      }
    }
  });

  it('goes on after a statement that is refused', async () => {
    const text = 'insert into t values ($1, now(), null)';
    for (const id of [10, 11]) await prepared.query(text, [id]);
    await expect(prepared.query(text, [10])).rejects.toMatchObject({ code: '23505' });
    await prepared.query(text, [12]);
    const { rows } = await prepared.query('select id from t where id >= 10 order by id');
    expect(rows).toEqual([{ id: 10 }, { id: 11 }, { id: 12 }]);
  });

  it('waits for a transaction that is open', async () => {
    const text = 'select count(*)::integer as rows from t where id = $1';
    for (let count = 0; count < 2; count += 1) await prepared.query(text, [50]);
    let counted: Promise<unknown> | undefined;
    await prepared.transaction(async (tx) => {
      await tx.query('insert into t values (50, now(), null)');
      counted = prepared.query(text, [50]);
      await tx.query('select 1');
    });
    expect(await counted).toMatchObject({ rows: [{ rows: 1 }] });
  });
});
