import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { getTableName, is } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import { compareTables, tables } from './tables.js';

const storage = new URL('./', import.meta.url);

async function tableNames(): Promise<string[]> {
  const files = (await readdir(storage)).filter((file) => file.endsWith('schema.ts'));
  const modules = await Promise.all(
    files.map((file) => import(fileURLToPath(new URL(file, storage))) as Promise<object>),
  );
  const found = modules
    .flatMap((module) => Object.values(module))
    .filter((one) => is(one, PgTable));
  return [...new Set(found.map((table) => getTableName(table)))];
}

describe('the register of tables', () => {
  it('has every table once', async () => {
    expect(compareTables(await tableNames())).toEqual([]);
    expect(new Set(tables.map(({ table }) => table)).size).toBe(tables.length);
  });

  it('names a table without an entry, and an entry without a table', () => {
    const stored = tables.map(({ table }) => getTableName(table));
    expect(compareTables([...stored.slice(1), 'new_table'])).toEqual(['new_table', stored[0]]);
  });

  it('erases by reference where a foreign key deletes the rows, and nowhere else by their session', () => {
    for (const { table, erased, owner } of tables) {
      const goes = getTableConfig(table).foreignKeys.some((key) => key.onDelete === 'cascade');
      const name = getTableName(table);
      if (erased === 'reference') expect([name, goes]).toEqual([name, true]);
      if (erased === 'first' || erased === 'last') {
        expect([name, owner?.of]).toEqual([name, 'principal']);
      }
    }
  });
});
