import { afterAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { testDatabaseUrl } from '../../test/support/processes/test-services.js';
import { openCopyOut, parseColumn } from './connection.js';

const head = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)]);
const row = (value: Buffer): Buffer => {
  const frame = Buffer.alloc(6);
  frame.writeInt16BE(1, 0);
  frame.writeInt32BE(value.length, 2);
  return Buffer.concat([frame, value]);
};
const end = Buffer.from([0xff, 0xff]);

describe('parseColumn', () => {
  it('takes the values out of their frames', () => {
    const values = [Buffer.from('one'), Buffer.alloc(0), Buffer.from([0xff, 0xff, 0])];
    expect(parseColumn(Buffer.concat([head, ...values.map(row), end]))).toEqual(values);
  });

  it('finds no rows where there are none', () => {
    expect(parseColumn(Buffer.concat([head, end]))).toEqual([]);
  });

  it('does not take half an answer for a whole one', () => {
    expect(() => parseColumn(Buffer.concat([head, row(Buffer.from('one'))]))).toThrow();
  });
});

describe('openCopyOut', () => {
  const pool = new Pool({
    connectionString: testDatabaseUrl(),
    max: 1,
    idleTimeoutMillis: 0,
    query_timeout: 200,
  });
  afterAll(() => pool.end());
  const copyOut = openCopyOut(pool);
  const timers = (): number =>
    process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;

  it('reads the bytes of a column', async () => {
    const values = await copyOut(`select unnest(array['\\x6f6e65', '\\x00ff']::bytea[])`);
    expect(values).toEqual([Buffer.from('one'), Buffer.from([0, 0xff])]);
  });

  it('takes longer than a statement may', async () => {
    expect(await copyOut(`select 'late'::bytea from pg_sleep(0.5)`)).toEqual([Buffer.from('late')]);
  });

  it.each([`select 'one'::bytea`, 'select 1 / 0'])('leaves no timer behind: %s', async (query) => {
    await pool.query('select 1');
    const before = timers();
    await copyOut(query).catch(() => undefined);
    expect(timers()).toBe(before);
  });
});
