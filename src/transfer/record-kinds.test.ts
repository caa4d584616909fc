import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { getTableName, is } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import { notExported, recordKinds } from './record-kinds.js';
import { storedKinds } from './record-shapes.js';

const storage = new URL('../storage/', import.meta.url);

async function tableNames(): Promise<string[]> {
  const files = (await readdir(storage)).filter((file) => file.endsWith('schema.ts'));
  const modules = await Promise.all(
    files.map((file) => import(fileURLToPath(new URL(file, storage))) as Promise<object>),
  );
  const tables = modules
    .flatMap((module) => Object.values(module))
    .filter((one) => is(one, PgTable));
  return [...new Set(tables.map((table) => getTableName(table)))];
}

describe('the kinds of records', () => {
  it('are of every table, but for those that stay behind for a reason', async () => {
    const exported = [...recordKinds.values()].map(({ table }) => getTableName(table));
    const named = [...exported, ...Object.keys(notExported)];
    expect(named.toSorted()).toEqual((await tableNames()).toSorted());
  });

  it('have a type each that imports are checked by', () => {
    expect(storedKinds).toEqual(expect.arrayContaining([...recordKinds.keys()]));
  });
});
