import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { DataFolderBusyError, livingOwner } from './data-folder.js';
import { openEmbeddedDatabase } from '../embedded-database.js';
import { openDataFolder } from './open-folder.js';
import { newFolder } from '../../../test/support/suite.js';

describe('a data folder that is opened', () => {
  let folder: string;
  beforeEach(async () => {
    folder = newFolder();
  });

  it('is owned before its engine has started, and its database opens on that engine', async () => {
    const { engine, release } = await openDataFolder(folder);
    expect(await livingOwner(folder)).toMatchObject({ pid: process.pid });
    await expect(openDataFolder(folder)).rejects.toThrow(DataFolderBusyError);
    const { db, close } = await openEmbeddedDatabase(engine);
    expect((await db.execute(sql`select 1 as one`)).rows).toEqual([{ one: 1 }]);
    await close();
    await release();
    expect(await livingOwner(folder)).toBeUndefined();
  });

  it('is given up with an engine that was still starting, which ends first', async () => {
    const { engine, release } = await openDataFolder(folder);
    await release();
    expect(await livingOwner(folder)).toBeUndefined();
    const [fault] = await once((await engine).connect(), 'error');
    expect(fault).toEqual(new Error('Connection terminated: the embedded database has stopped'));
  });

  it('is given up where the engine cannot start', async () => {
    // The database of a version that no engine knows.
    await mkdir(path.join(folder, 'db'));
    await writeFile(path.join(folder, 'db/PG_VERSION'), '1');
    const { engine, release } = await openDataFolder(folder);
    await expect(engine).rejects.toThrow();
    await release();
    expect(await livingOwner(folder)).toBeUndefined();
  });
});
