import { afterEach, describe, expect, it } from '@jest/globals';
import type { CreatedKeyDto } from '../../src/access/keys/key.dto.js';
import { NewKeyDto } from '../../src/access/keys/key.dto.js';
import { hashKey } from '../../src/access/keys/key-secret.js';
import { takeRequest } from '../../src/http/request.pipe.js';
import { systemClock } from '../../src/platform/clock.js';
import type { OpenedDatabase } from '../../src/storage/connection.js';
import { openKeys } from '../support/access/open-access.js';
import { bothDatabases } from '../support/database/both-databases.js';

describe.each(bothDatabases)('the first key, in %s', (_, open) => {
  let database: OpenedDatabase;
  afterEach(() => database.close());

  async function openService() {
    database = await open();
    const { keyService, store } = openKeys({ db: database.db, clock: systemClock });
    const wanted = await takeRequest(NewKeyDto, { principal: 'local' });
    return { keyService, store, wanted };
  }

  it('is made by one of the processes that start together', async () => {
    const { keyService, store, wanted } = await openService();
    const shown: CreatedKeyDto[] = [];
    await Promise.all(
      Array.from({ length: 6 }, () =>
        keyService.createFirst(wanted, { id: 'test' }, (created) => shown.push(created)),
      ),
    );
    expect(shown).toHaveLength(1);
    const stored = await store.list();
    expect(stored.map(({ secretHash }) => secretHash)).toEqual([hashKey(shown[0]?.secret ?? '')]);
  });

  it('is not stored where nobody could be told', async () => {
    const { keyService, store, wanted } = await openService();
    const telling = keyService.createFirst(wanted, { id: 'test' }, () => {
      throw new Error('EPIPE');
    });
    await expect(telling).rejects.toThrow('EPIPE');
    expect(await store.census()).toMatchObject({ hasHadKeys: false });
  });
});
