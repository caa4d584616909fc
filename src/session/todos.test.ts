import { beforeEach, describe, expect, it } from '@jest/globals';
import { useDatabase } from '../../test/support/database/database.js';
import { storeTurn } from '../../test/support/turn/store-turn.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import { TurnCommits } from '../events/turn-commits.js';
import type { SessionStore } from './session-store.js';
import { sessions, todos } from '../storage/schema.js';
import type { Todo } from '../storage/shapes/stored-step.js';
import { openSessions } from '../../test/support/open-sessions.js';
import { loadTodos, replaceTodos } from './todos.js';

const first: Todo = { id: 'a', content: 'Read it', status: 'completed' };
const second: Todo = { id: 'b', content: 'Write it', status: 'pending' };

describe('loadTodos', () => {
  const database = useDatabase();

  const clock = new ManualClock();
  const now = new Date(clock.now());
  let sessionStore: SessionStore;
  let sessionId: string;

  async function newSession(): Promise<string> {
    const wanted = { projectRoot: '/work/a', persona: 'WORKING_ITEMS', mode: 'direct' };
    return (await sessionStore.create(wanted)).id;
  }

  beforeEach(async () => {
    await database.db.delete(sessions);
    sessionStore = openSessions(database.db, clock, 10);
    sessionId = await newSession();
  });

  async function replace(ofSession: string, items: Todo[], at: Date): Promise<void> {
    const turnId = await storeTurn(database.db);
    const facts = [replaceTodos({ sessionId: ofSession, items, updatedAt: at })];
    const commit = { turnId, attempt: 1, writes: facts, events: [], isRepeat: false };
    await new TurnCommits(database.db).store(commit);
  }

  it('has an empty list of a session that wrote none', async () => {
    expect(await loadTodos(database.db, sessionId)).toEqual([]);
  });

  it('puts a list in place of the one there was, each session apart', async () => {
    const other = await newSession();
    await replace(other, [first], now);
    await replace(sessionId, [first, second], now);
    expect(await loadTodos(database.db, sessionId)).toEqual([first, second]);
    const later = new Date(now.getTime() + 1_000);
    await replace(sessionId, [second], later);
    expect(await loadTodos(database.db, sessionId)).toEqual([second]);
    expect(await loadTodos(database.db, other)).toEqual([first]);
    const rows = await database.db.select().from(todos);
    expect(rows.map((row) => [row.sessionId, row.updatedAt])).toEqual(
      expect.arrayContaining([
        [sessionId, later],
        [other, now],
      ]),
    );
    expect(rows).toHaveLength(2);
  });

  it('goes with its session', async () => {
    await replace(sessionId, [first], now);
    await sessionStore.delete(sessionId, { id: 'local' });
    expect(await database.db.select().from(todos)).toEqual([]);
  });
});
