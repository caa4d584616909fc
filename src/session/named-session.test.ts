import path from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { useDatabase } from '../../test/support/database/database.js';
import { openProjectRoots } from '../../test/support/access/open-project-roots.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import { localPrincipal } from '../access/principal.js';
import { isId } from '../platform/ids.js';
import { sessions } from '../storage/schema.js';
import {
  findNamedSession,
  openNamedSession,
  namedSessionId,
  type NamedSessionDeps,
} from './named-session.js';
import { openSessions, openTerms } from '../../test/support/open-sessions.js';
import { auditLog } from '../storage/governance-schema.js';
import { newFolder } from '../../test/support/suite.js';

describe('threadSessionId', () => {
  it('is an id of ours, the same each time, and another for each principal and thread', () => {
    const id = namedSessionId('ann', 'my chat');
    expect(isId('sess', id)).toBe(true);
    expect(id).toMatch(/^sess_.{8}-.{4}-5.{3}-[89ab].{3}-/);
    expect(namedSessionId('ann', 'my chat')).toBe(id);
    const others = [namedSessionId('bob', 'my chat'), namedSessionId('ann', 'my chats')];
    expect(new Set([id, ...others]).size).toBe(3);
    // The end of a principal's id cannot pass for the beginning of another's thread.
    expect(namedSessionId('a', 'bc')).not.toBe(namedSessionId('ab', 'c'));
  });

  it('is the thread itself where that is a session', () => {
    const id = 'sess_00000000-0000-4000-8000-000000000000';
    expect(namedSessionId('ann', id)).toBe(id);
  });

  it.each(['', 'x'.repeat(257)])('refuses %j', (name) => {
    expect(() => namedSessionId('ann', name)).toThrow(/1 to 256 characters/);
  });
});

describe('openThread', () => {
  const database = useDatabase();
  const root = newFolder();

  let deps: NamedSessionDeps;
  beforeEach(async () => {
    await database.db.delete(sessions);
    await database.db.delete(auditLog);
    const projectRoots = openProjectRoots(database.db, { sharedRoot: root });
    deps = {
      sessions: openSessions(database.db, new ManualClock(), 2),
      projectRoots,
      terms: openTerms(projectRoots),
    };
  });

  const noLimits = { requestsPerMinute: 0, concurrentTurns: 0, tokensPerDay: 0, usdPerDay: 0 };
  const named = { principalId: 'ann', name: 'chat 1' };
  const wanted = {
    principal: { ...localPrincipal(noLimits), id: 'ann' },
    origin: 'ai-sdk' as const,
    name: 'chat 1',
    persona: 'WRITER',
    projectRoot: undefined,
  };

  it('makes a session once, however many ask for it at once', async () => {
    const opened = await Promise.all([1, 2, 3, 4].map(() => openNamedSession(deps, wanted)));
    const [first] = opened;
    expect(new Set(opened.map(({ session }) => session.id)).size).toBe(1);
    expect(opened.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(first?.session).toMatchObject({
      principalId: 'ann',
      persona: 'WRITER',
      projectRoot: root,
    });
    const audited = await database.db.select({ subject: auditLog.subject }).from(auditLog);
    expect(audited).toEqual([{ subject: first?.session.id }]);
    expect(await findNamedSession(deps, named)).toEqual(first?.session);
  });

  it('finds the session that is there when no more may be made', async () => {
    const first = await openNamedSession(deps, wanted);
    await openNamedSession(deps, { ...wanted, name: 'chat 2' });
    await expect(openNamedSession(deps, { ...wanted, name: 'chat 3' })).rejects.toMatchObject({
      type: 'SESSION_LIMIT',
      status: 429,
    });
    expect(await openNamedSession(deps, wanted)).toEqual({ ...first, isNew: false });
  });

  it('gives nobody a session of another, nor one that was deleted', async () => {
    const { id: name } = (await openNamedSession(deps, wanted)).session;
    expect(await openNamedSession(deps, { ...wanted, name })).toMatchObject({
      session: { id: name },
    });
    const notFound = { type: 'SESSION_NOT_FOUND', status: 404 };
    const asked = { ...wanted, principal: { ...wanted.principal, id: 'bob' }, name };
    await expect(openNamedSession(deps, asked)).rejects.toMatchObject(notFound);
    await database.db.delete(sessions);
    await expect(openNamedSession(deps, { ...wanted, name })).rejects.toMatchObject(notFound);
  });

  it('checks the folder of a session that it makes', async () => {
    const elsewhere = openNamedSession(deps, {
      ...wanted,
      projectRoot: path.join(root, 'missing'),
    });
    await expect(elsewhere).rejects.toMatchObject({ type: 'WORKING_ROOT_INACCESSIBLE' });
    expect(await findNamedSession(deps, named)).toBeUndefined();
  });
});
