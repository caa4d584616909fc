import { beforeAll, describe, expect, it } from '@jest/globals';
import { useDatabase } from '../../../test/support/database/database.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { storeTurn } from '../../../test/support/turn/store-turn.js';
import { newId } from '../../platform/ids.js';
import { approvals } from '../../storage/governance-schema.js';
import { openSessions } from '../../../test/support/open-sessions.js';
import { Owners, checkRoutes, idAt } from './owners.js';

describe('Owners', () => {
  let sessionId: string;
  let turnId: string;
  const approvalId = newId('appr');
  const database = useDatabase();
  beforeAll(async () => {
    const store = openSessions(database.db, new ManualClock(), 10);
    const wanted = { projectRoot: '/work', persona: 'A', mode: 'direct', principalId: 'owner' };
    sessionId = (await store.create(wanted)).id;
    turnId = await storeTurn(database.db, { sessionId, status: 'completed' });
    const at = new Date(0);
    await database.db.insert(approvals).values({
      id: approvalId,
      turnId,
      sessionId,
      callId: 'call',
      kind: 'tool',
      name: 'bash',
      input: {},
      reason: 'it asks',
      onTimeout: 'deny',
      createdAt: at,
      expiresAt: at,
    });
  });

  it('says whose a session is, and all that is in it', async () => {
    const owners = new Owners(database.db);
    expect(await owners.find('session', sessionId)).toBe('owner');
    expect(await owners.find('turn', turnId)).toBe('owner');
    expect(await owners.find('approval', approvalId)).toBe('owner');
  });

  it.each(['session', 'turn', 'approval'] as const)('knows no other %s', async (kind) => {
    const owners = new Owners(database.db);
    await owners.find('session', sessionId);
    const wrong = kind === 'session' ? turnId : sessionId;
    const prefix = { session: 'sess', turn: 'turn', approval: 'appr' }[kind];
    for (const id of [wrong, newId(prefix), '', 'a\0b', "' or 1=1"]) {
      expect(await owners.find(kind, id)).toBeUndefined();
    }
  });
});

describe('checkRoutes', () => {
  it('names every route that was forgotten, and says what to do', () => {
    const routes = [
      { name: 'A.get', isDeclared: true },
      { name: 'A.post', isDeclared: false },
      { name: 'B.list', isDeclared: false },
    ];
    expect(() => checkRoutes(routes)).toThrow(/A\.post, B\.list\. .*@Owned/);
    expect(() => checkRoutes(routes.slice(0, 1))).not.toThrow();
  });
});

describe('idAt', () => {
  const params = Object.assign(Object.create(null) as object, { id: 'sess_1' });

  it.each([
    ['params.id', 'sess_1'],
    ['body.sessionId', 'sess_2'],
    ['query.context', undefined],
    ['query.none', undefined],
  ] as const)('finds %s: %j', (field, expected) => {
    const request = { params, body: { sessionId: ' sess_2 ' }, query: { context: ['a', 'b'] } };
    expect(idAt(request, field)).toBe(expected);
  });

  it.each([undefined, null, 'text', 7])('finds nothing in a body that is %j', (body) => {
    expect(idAt({ body }, 'body.sessionId')).toBeUndefined();
  });
});
