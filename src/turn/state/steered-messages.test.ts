import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openTestDatabase } from '../../../test/support/database/database.js';
import { HeldTool } from '../../../test/support/turn/held-tool.js';
import { openTestServices, type TestServices } from '../../../test/support/turn/turn-services.js';
import { readTurn } from '../../../test/support/turn/read-turn.js';
import type { OpenedDatabase } from '../../storage/connection.js';
import { storeSteeredMessage } from '../submit/steer-turn.js';
import { loadDeliveredMessages } from './stored-turn.js';

let database: OpenedDatabase;
let test: TestServices;
const tool = new HeldTool('look', { effect: 'read', retry: 'safe' });
beforeAll(async () => {
  database = await openTestDatabase();
  test = await openTestServices(database, [tool.definition]);
});
afterAll(async () => {
  await test.close();
  await database.close();
});

it('a message that no worker delivered stays in the conversation of a turn that fails', async () => {
  const { services, projectRoot } = test;
  await test.startWorker();
  const asSession = { projectRoot, persona: 'WORKING_ITEMS', mode: 'direct' };
  const { id: sessionId } = await services.sessions.create(asSession);
  const { turnId } = await services.submitter.submit({
    sessionId,
    message: '[[tool=look {}]] [[fail=400 step=2]]',
    opts: { tools: ['look'], onDisconnect: 'continue' },
    attachments: [],
    idempotencyKey: undefined,
  });
  const call = await tool.call(1);
  const rest = { requestHash: 'hash', idempotencyKey: undefined, now: new Date() };
  // Without the hint.
  await storeSteeredMessage(database.db, { sessionId, text: 'Mind the tests', ...rest }, 16);
  call.finish();
  const seen = await readTurn(services.follower, turnId);
  expect(seen.at(-1)).toMatchObject({ outcome: 'failed' });
  expect(await loadDeliveredMessages(database.db, [turnId])).toMatchObject([
    { text: 'Mind the tests', afterStep: 1 },
  ]);
});
