import { expect, it } from '@jest/globals';
import { useDatabase } from '../../../test/support/database/database.js';
import { HeldTool } from '../../../test/support/turn/held-tool.js';
import { openTestServices } from '../../../test/support/turn/turn-services.js';
import { readTurn } from '../../../test/support/turn/read-turn.js';
import { storeSteeredMessage } from '../submit/steer-turn.js';
import { historyBefore, unseenBy } from './load-turns.js';
import { loadDeliveredMessages } from './stored-turn.js';
import { useShared } from '../../../test/support/suite.js';
import { submit, newSession } from '../../../test/support/turn/submit.js';

const turn = (id: string, supersededBy: string | null = null) => ({ id, supersededBy });
// b and c were replaced by d, d by f: a, f, g is the active line.
const turns = [
  turn('a'),
  turn('b', 'd'),
  turn('c', 'd'),
  turn('d', 'f'),
  turn('e', 'f'),
  turn('f'),
  turn('g'),
];
const before = (id: string) => historyBefore(turns, id)?.map((one) => one.id);

it('each turn has the line that it followed, superseded or not', () => {
  expect(before('a')).toEqual([]);
  expect(before('c')).toEqual(['a', 'b']);
  expect(before('d')).toEqual(['a']);
  expect(before('e')).toEqual(['a', 'd']);
  expect(before('f')).toEqual(['a']);
  expect(before('g')).toEqual(['a', 'f']);
});

it('a turn of another session has none', () => {
  expect(historyBefore(turns, 'x')).toBeUndefined();
});

it('a superseder that is not here counts as later', () => {
  expect(historyBefore([turn('a', 'gone'), turn('b')], 'b')?.map(({ id }) => id)).toEqual(['a']);
});

it('a line knows of what its own turns superseded, and of nothing else', () => {
  const ids = (line: string[]) =>
    unseenBy(
      turns,
      turns.filter(({ id }) => line.includes(id)),
    ).map(({ id }) => id);
  expect(ids(['a'])).toEqual(['b', 'c', 'd', 'e', 'f', 'g']);
  expect(ids(['a', 'd'])).toEqual(['e', 'f', 'g'].filter((id) => id !== 'x'));
  expect(ids(['a', 'f'])).toEqual(['b', 'c', 'g']);
});

const tool = new HeldTool('look', { effect: 'read', retry: 'safe' });
const database = useDatabase();
const test = useShared(() => openTestServices(database, [tool.definition]));

it('a message that no worker delivered stays in the conversation of a turn that fails', async () => {
  const { services } = test;
  await test.startWorker();
  const sessionId = await newSession(test);
  const opts = { tools: ['look'], onDisconnect: 'continue' };
  const message = '[[tool=look {}]] [[fail=400 step=2]]';
  const { turnId } = await submit(test, message, opts, { sessionId });
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
