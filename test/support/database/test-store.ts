import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { newDataFolder } from './database-folder.js';
import { newDatabase } from './new-database.js';
import { testRedisUrl } from '../processes/test-services.js';

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

async function newEmbeddedStore(above?: string): Promise<TestStore> {
  const dataDir = await newDataFolder(above);
  return {
    environment: { TURNPIKE_DATA_DIR: dataDir },
    close: () => rm(dataDir, { recursive: true, force: true }),
  };
}

async function newDistributedStore(): Promise<TestStore> {
  const database = await newDatabase();
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
