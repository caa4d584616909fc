import { describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { bothDatabases } from '../../../test/support/database/both-databases.js';
import { newTurn } from '../../../test/support/turn/new-turn.js';
import { storeSession, storeTurn } from '../../../test/support/turn/store-turn.js';
import { newId } from '../../platform/ids.js';
import { turns } from '../../storage/schema.js';
import { messages } from '../../storage/transcript-schema.js';
import { loadSessionTurns } from '../state/load-turns.js';
import { insertTurn } from './insert-turn.js';
import { useDatabase } from '../../../test/support/database/database.js';

describe.each(bothDatabases)('a turn that is stored, on %s', (_name, open) => {
  const database = useDatabase(open);

  const ended = (sessionId: string, createdAt: Date) =>
    storeTurn(database.db, { sessionId, status: 'completed', createdAt });
  const insert = async (sessionId: string, now: Date) => {
    const id = newId('turn');
    const stored = await insertTurn(database.db, newTurn(sessionId, { now }), {
      id,
      maxQueued: 1_000,
    });
    expect(stored).toBe('stored');
    const [turn] = await database.db.select().from(turns).where(eq(turns.id, id));
    const [message] = await database.db.select().from(messages).where(eq(messages.turnId, id));
    return { id, createdAt: turn?.createdAt, said: message?.createdAt };
  };
  const [earlier, now, later] = [-1_000, 0, 1_000].map((ms) => new Date(Date.now() + ms));
  if (earlier === undefined || now === undefined || later === undefined) throw new Error('no time');

  it('comes after the last one of its session, though another clock was ahead', async () => {
    const sessionId = await storeSession(database.db);
    const before = await ended(sessionId, later);
    const after = new Date(later.getTime() + 1);
    const { id, ...times } = await insert(sessionId, now);
    expect(times).toEqual({ createdAt: after, said: after });
    const conversation = await loadSessionTurns(database.db, sessionId);
    expect(conversation.map(({ turn }) => turn.id)).toEqual([before, id]);
  });

  it('has the time of its process otherwise, whatever other sessions have', async () => {
    await ended(await storeSession(database.db), later);
    const sessionId = await storeSession(database.db);
    expect(await insert(sessionId, earlier)).toMatchObject({ createdAt: earlier, said: earlier });
    const another = await storeSession(database.db);
    await ended(another, earlier);
    expect(await insert(another, now)).toMatchObject({ createdAt: now, said: now });
  });
});
