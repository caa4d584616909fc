import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { migrationsFolder } from '../../src/storage/migrate-database.js';
import {
  newBareDatabase,
  newDatabase,
  type NewDatabase,
} from '../support/database/new-database.js';
import { cliProgram } from '../support/processes/built-programs.js';
import { runProgram, type Ended } from '../support/processes/run-program.js';
import { startProcess } from '../support/processes/start-process.js';
import { testRedisUrl } from '../support/processes/test-services.js';

interface Journal {
  entries: { tag: string; when: number }[];
}

const journal = JSON.parse(
  await readFile(path.join(migrationsFolder, 'meta/_journal.json'), 'utf8'),
) as Journal;
const tags = journal.entries.map(({ tag }) => tag);
const newest = tags.at(-1) ?? '';

const FORGET_NEWEST =
  'delete from drizzle.__drizzle_migrations where id = (select max(id) from drizzle.__drizzle_migrations)';

describe('the migrations of a deployment', () => {
  let database: NewDatabase | undefined;
  let client: Client;

  async function open(made: Promise<NewDatabase>): Promise<void> {
    database = await made;
    client = new Client({ connectionString: database.url });
    await client.connect();
  }
  afterEach(async () => {
    await client.end();
    await database?.drop();
    database = undefined;
  });

  const environment = (): Record<string, string> => ({
    REDIS_URL: testRedisUrl(),
    DATABASE_URL: database?.url ?? '',
  });
  const run = (...args: string[]): Promise<Ended> => runProgram(cliProgram, args, environment());
  const start = (more: Record<string, string> = {}) => startProcess({ ...environment(), ...more });
  const appliedTimes = async (): Promise<number[]> => {
    const { rows } = await client.query<{ at: string }>(
      'select created_at as at from drizzle.__drizzle_migrations order by id',
    );
    return rows.map(({ at }) => Number(at));
  };

  describe('on a database without tables', () => {
    beforeEach(() => open(newBareDatabase()));

    it('are applied once each by two commands at once', async () => {
      const both = await Promise.all([run('migrate'), run('migrate')]);
      expect(both.map(({ code, stderr }) => [code, stderr])).toEqual([
        [0, ''],
        [0, ''],
      ]);
      const lines = both.flatMap(({ stdout }) => stdout.trim().split('\n'));
      expect(lines.filter((line) => line.startsWith('Applied '))).toEqual(
        tags.map((tag) => `Applied ${tag}.`),
      );
      expect(lines.filter((line) => line === 'The database is up to date.')).toHaveLength(2);
      expect(await appliedTimes()).toEqual(journal.entries.map(({ when }) => when));
    });

    it('are missed by a start, a key and a check, which name them and change nothing', async () => {
      const missing = `The database lacks ${newest === tags[0] ? 'a migration' : `${tags.length} migrations`} (${tags.slice(0, 3).join(', ')}${tags.length > 3 ? ` and ${tags.length - 3} more` : ''}): run ./turnpike migrate before this version starts, or set TURNPIKE_MIGRATE=apply.`;
      await expect(start()).rejects.toThrow(`It exited with 1: ${missing}\n`);
      for (const args of [
        ['migrate', '--check'],
        ['keys', 'list'],
      ]) {
        expect(await run(...args)).toEqual({ code: 1, stdout: '', stderr: `${missing}\n` });
      }
      const { rows } = await client.query(
        `select 1 from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
      );
      expect(rows).toEqual([]);
    });

    it('are applied by a start that is told to', async () => {
      const server = await start({ TURNPIKE_MIGRATE: 'apply' });
      expect((await server.client.get('/ready')).body).toMatchObject({ ready: true });
      await server.kill('SIGTERM');
      expect(await run('migrate', '--check')).toMatchObject({
        code: 0,
        stdout: 'The database is up to date.\n',
      });
    });
  });

  describe('on a migrated database', () => {
    beforeEach(() => open(newDatabase()));

    it('are missed by name', async () => {
      await client.query(FORGET_NEWEST);
      await expect(start()).rejects.toThrow(`The database lacks a migration (${newest}): run`);
    });

    it('of a later version are no obstacle', async () => {
      await client.query(
        `insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', 9999999999999)`,
      );
      const server = await start();
      expect((await server.client.get('/ready')).body).toMatchObject({ ready: true });
      await server.kill('SIGTERM');
      expect(await run('migrate', '--check')).toEqual({
        code: 0,
        stderr: '',
        stdout:
          'The database is up to date.\nIt has migrations of a later version (1), which this version works with.\n',
      });
    });

    it('that took away what this version needs stop it, and its migrations', async () => {
      await client.query(`insert into schema_contracts values ('9999_drop_column', '999.0.0')`);
      const refusal =
        /^The database is for Turnpike 999\.0\.0 or later since its migration 9999_drop_column, and this is [\d.]+: start a later version, or restore a backup from before that migration\.\n$/;
      await expect(start({ TURNPIKE_MIGRATE: 'apply' })).rejects.toThrow(
        'It exited with 1: The database is for Turnpike 999.0.0 or later',
      );
      for (const args of [['migrate'], ['migrate', '--check']]) {
        expect(await run(...args)).toEqual({
          code: 1,
          stdout: '',
          stderr: expect.stringMatching(refusal),
        });
      }
    });

    it('that took away what this version does not need are no obstacle', async () => {
      await client.query(`insert into schema_contracts values ('0021_drop_column', '0.1.0')`);
      expect((await run('migrate', '--check')).code).toBe(0);
    });

    it('leave the database as it was where one fails', async () => {
      await client.query(FORGET_NEWEST);
      const before = await appliedTimes();
      const { code, stderr } = await run('migrate');
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /^The migrations failed, and the database is as it was: .* already exists\. Correct that, and run \.\/turnpike migrate again\.\n$/,
      );
      expect(await appliedTimes()).toEqual(before);
    });

    it('give up a table that a transaction keeps, before others wait long behind them', async () => {
      await client.query('drop schema public cascade; create schema public');
      await client.query('delete from drizzle.__drizzle_migrations');
      await client.query('begin; lock table drizzle.__drizzle_migrations in share mode');
      expect(await run('migrate')).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^The migrations waited too long for a table that a running/),
      });
      await client.query('rollback');
      expect(await run('migrate')).toMatchObject({ code: 0, stderr: '' });
    });
  });
});

it('the journal is in order: what is older than the last one applied would never be applied', () => {
  const whens = journal.entries.map(({ when }) => when);
  expect(whens).toEqual([...new Set(whens)].sort((a, b) => a - b));
});
