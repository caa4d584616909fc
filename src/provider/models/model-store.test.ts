import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openTestDatabase } from '../../../test/support/database/database.js';
import type { OpenedDatabase } from '../../storage/connection.js';
import { models } from '../../storage/model-schema.js';
import { ModelStore } from './model-store.js';

let database: OpenedDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

it('leaves out what another version stored and this one does not know', async () => {
  const described = { maxOutput: 5, isListed: true, thinking: ['enabled', 'dreaming'], taste: 'x' };
  const row = { source: 'here', id: 'claude-x', described, describedAt: new Date(0) };
  await database.db.insert(models).values(row);
  expect(await new ModelStore(database.db, 'here').find('claude-x')).toEqual({
    id: 'claude-x',
    maxOutput: 5,
    isListed: true,
    thinking: ['enabled'],
  });
});
