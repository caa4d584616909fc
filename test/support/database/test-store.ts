import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { newDataFolder } from './database-folder.js';
import { copyDatabase, newDatabase, type NewDatabase } from './new-database.js';
import { testRedisUrl } from '../processes/test-services.js';

const run = promisify(execFile);

/** The back end of this run of the suite: a jest project each, see jest.config.mjs. */
declare const BACK_END: 'embedded' | 'distributed';

/** A store of servers that run one after the other, or beside each other. */
export interface TestStore {
  /** Environment variables that name the store. */
  environment: Record<string, string>;
  close(): Promise<void>;
}

/**
 * A new, empty store. @param above the folder for an embedded one; default: in memory where there
 * is any.
 */
export async function newStore(above?: string): Promise<TestStore> {
  return BACK_END === 'embedded' ? newEmbeddedStore(above) : newDistributedStore();
}

/** A new store of the back end that this run of the suite is not for. */
export async function newOtherStore(): Promise<TestStore> {
  return BACK_END === 'embedded' ? newDistributedStore() : newEmbeddedStore();
}

/** A copy of a store that no server has. Its Redis is empty. */
export async function copyStore({ environment }: TestStore): Promise<TestStore> {
  const { DATABASE_URL: url, TURNPIKE_DATA_DIR: dataDir } = environment;
  if (url !== undefined) return distributedStore(await copyDatabase(url));
  const copy = `${dataDir ?? ''}-copy`;
  // With the identity and the modes of each file: a server takes no other.
  await run('cp', ['-a', dataDir ?? '', copy]);
  return embeddedStore(copy);
}

async function newEmbeddedStore(above?: string): Promise<TestStore> {
  return embeddedStore(await newDataFolder(above));
}

function embeddedStore(dataDir: string): TestStore {
  return {
    environment: { TURNPIKE_DATA_DIR: dataDir },
    close: () => rm(dataDir, { recursive: true, force: true }),
  };
}

async function newDistributedStore(): Promise<TestStore> {
  return distributedStore(await newDatabase());
}

function distributedStore(database: NewDatabase): TestStore {
  return {
    environment: {
      REDIS_URL: testRedisUrl(),
      DATABASE_URL: database.url,
      TURNPIKE_REDIS_PREFIX: `test-${randomUUID()}`,
      TURNPIKE_DATABASE_CONNECTIONS: '4',
    },
    close: database.drop,
  };
}
