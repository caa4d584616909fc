import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { giveDatabase } from './database-folder.js';
import { newDatabase } from './new-database.js';
import { testRedisUrl } from './test-services.js';

/** The back end this run of the suite is about: a jest project each, see jest.config.mjs. */
declare const BACK_END: 'embedded' | 'distributed';

/** What servers keep their state in, one after the other or beside each other. */
export interface TestStore {
  /** Settings that name it. */
  environment: Record<string, string>;
  remove(): Promise<void>;
}

/** A store nobody has used. @param folder of the test's own. */
export async function newStore(folder: string): Promise<TestStore> {
  if (BACK_END === 'embedded') {
    const dataDir = await giveDatabase(path.join(folder, 'data'));
    const environment = { TURNPIKE_DATA_DIR: dataDir };
    return { environment, remove: async () => undefined };
  }
  const database = await newDatabase();
  return {
    environment: {
      REDIS_URL: testRedisUrl(),
      DATABASE_URL: database.url,
      TURNPIKE_REDIS_PREFIX: `test-${randomUUID()}`,
      TURNPIKE_DATABASE_CONNECTIONS: '4',
    },
    remove: database.drop,
  };
}
