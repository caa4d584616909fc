import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { asc, eq, sql } from 'drizzle-orm';
import {
  askForWrite,
  awaitedBy,
  decide,
  findAwaited,
  seenBy,
  type AskedTurn,
} from '../../support/access/approvers.js';
import { pageOf } from '../../support/access/page-token.js';
import { useTokenIssuer } from '../../support/access/token-issuer.js';
import { KeyedClient, keyedClient, makeKey } from '../../support/clients/keyed-client.js';
import { expectSoon } from '../../support/expect-soon.js';
import { useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';
import { approvalAnswers, approvals, auditLog } from '../../../src/storage/governance-schema.js';

const two = { by: ['release'], count: 2, notRequester: true };
const one = { by: ['release'] };

describe('a call that people with a role decide', () => {
  const server = useServer();
  const keyOf = (principal: string, approves: string[] = [], more = {}) =>
    keyedClient(server, { principal, scopes: ['turns', 'approvals'], approves, ...more });
  const owner = useShared(() => keyOf('owner', ['release']));
  const ben = useShared(() => keyOf('ben', ['release']));
  const cleo = useShared(() => keyOf('cleo', ['release', 'security']));
  const dan = useShared(() => keyOf('dan', ['security']));

  let files = 0;
  const ask = async (rule: object, who: KeyedClient = owner) => {
    files += 1;
    const file = `asked-${files}.txt`;
    return askForWrite(who, { projectRoot: server.projectRoot, file, rule });
  };
  const wasWritten = ({ file }: AskedTurn) => existsSync(path.join(server.projectRoot, file));
  const endOf = async (turn: AskedTurn): Promise<string> => {
    const answer = await turn.ended;
    return answer === 'cut' ? answer : answer.text;
  };
  const rowOf = async (id: string) => {
    const [row] = await server.db.select().from(approvals).where(eq(approvals.id, id));
    return row;
  };

  it('runs once two of them have approved, as the requester, and shows them the call alone', async () => {
    const turn = await ask(two);
    const seen = await findAwaited(ben, turn.file);
    const awaits = [{ ...two, approved: 0 }];
    expect(seen).toEqual({
      approvalId: expect.any(String),
      kind: 'tool',
      name: 'write',
      input: { file_path: turn.file, content: 'x' },
      reason: expect.stringContaining('2 people with the role release'),
      agent: 'WORKING_ITEMS',
      requester: 'owner',
      status: 'pending',
      onTimeout: 'deny',
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
      awaits,
      answers: [],
      isAwaitingMe: true,
    });
    const id = seen.approvalId;
    const first = await decide(ben, id, 'approve');
    expect([first.status, first.body['approval']]).toEqual([
      200,
      {
        ...seen,
        awaits: [{ ...two, approved: 1 }],
        answers: [{ by: 'ben', decision: 'approve', as: ['release'], at: expect.any(String) }],
        isAwaitingMe: false,
      },
    ]);
    // The same person counts once, and is awaited no longer.
    expect(await decide(ben, id, 'approve')).toMatchObject({ status: 200, body: first.body });
    expect((await awaitedBy(ben)).map(({ approvalId }) => approvalId)).not.toContain(id);
    expect(wasWritten(turn)).toBe(false);
    const own = await owner.send('GET', `/api/harness/approvals/${id}`);
    expect(own.body['approval']).toMatchObject({
      status: 'pending',
      awaits: [{ approved: 1 }],
      answers: [{ by: 'ben' }],
    });

    expect((await decide(cleo, id, 'approve')).body['approval']).toMatchObject({
      status: 'resolved',
      decision: 'approve',
      by: 'approvers',
      awaits: [{ approved: 2 }],
    });
    const text = await endOf(turn);
    expect(text).toContain('"exitCode":0');
    expect(text).toContain(`"awaits":[${JSON.stringify(two)}]`);
    expect(wasWritten(turn)).toBe(true);
    const noted = await server.db
      .select()
      .from(auditLog)
      .where(sql`action = 'approval.answered' and subject = ${id}`)
      .orderBy(asc(auditLog.id));
    expect(noted.map(({ principalId, details }) => ({ principalId, ...details }))).toMatchObject([
      { principalId: 'ben', as: ['release'], nth: 1, decides: false, credential: { kind: 'key' } },
      { principalId: 'cleo', as: ['release'], nth: 2, decides: true, credential: { kind: 'key' } },
    ]);
  });

  it('is denied by one of them, whoever has approved, and by who has approved too', async () => {
    const denied = await ask(two);
    const { approvalId } = await findAwaited(ben, denied.file);
    await decide(ben, approvalId, 'approve');
    const given = { decision: 'deny', message: 'Not on Fridays.' };
    expect((await decide(cleo, approvalId, given)).status).toBe(200);
    expect(await endOf(denied)).toContain('Not on Fridays.');
    expect(wasWritten(denied)).toBe(false);
    expect((await decide(ben, approvalId, 'deny')).body).toMatchObject({
      error: { type: 'APPROVAL_RESOLVED' },
    });

    const again = await ask(two);
    const second = await findAwaited(ben, again.file);
    await decide(ben, second.approvalId, 'approve');
    for (let time = 0; time < 2; time += 1) {
      expect((await decide(ben, second.approvalId, 'deny')).status).toBe(200);
    }
    expect(await decide(ben, second.approvalId, 'approve')).toMatchObject({
      status: 409,
      body: { error: { type: 'APPROVAL_RESOLVED' } },
    });
    await endOf(again);
    expect(wasWritten(again)).toBe(false);
  });

  it('is not decided by who asks, where the rule says so, on any of the ways', async () => {
    const turn = await ask(two);
    const { approvalId } = await findAwaited(ben, turn.file);
    const refused = { error: { type: 'FORBIDDEN_APPROVER', details: { awaits: [two] } } };
    for (const way of ['approvals', 'awaited-approvals']) {
      for (const decision of ['approve', 'deny']) {
        const path = `/api/harness/${way}/${approvalId}`;
        const { status, body, text } = await owner.send('POST', path, { decision });
        expect([status, body]).toMatchObject([403, refused]);
        expect(text).toContain('2 people with the role release, other than who asks');
      }
    }
    expect(await awaitedBy(owner)).toEqual([]);
    await decide(ben, approvalId, 'deny');
    await endOf(turn);
  });

  it('counts who asks, where the rule lets them', async () => {
    const turn = await ask({ by: ['release'], count: 2 });
    const { approvalId } = await findAwaited(ben, turn.file);
    const path = `/api/harness/approvals/${approvalId}`;
    expect((await owner.send('POST', path, { decision: 'approve' })).body).toMatchObject({
      approval: { status: 'pending', awaits: [{ approved: 1 }] },
    });
    await decide(ben, approvalId, 'approve');
    await endOf(turn);
    expect(wasWritten(turn)).toBe(true);
  });

  it('is not there for who has no role of the rule', async () => {
    const turn = await ask(one);
    const { approvalId } = await findAwaited(ben, turn.file);
    expect((await awaitedBy(dan)).map((found) => found.approvalId)).not.toContain(approvalId);
    const missing = { error: { type: 'APPROVAL_NOT_FOUND' } };
    expect(await seenBy(dan, approvalId)).toMatchObject({ status: 404, body: missing });
    expect(await decide(dan, approvalId, 'approve')).toMatchObject({ status: 404, body: missing });
    // Nor has an approver any other route to it, or to its session.
    for (const [method, path] of [
      ['GET', `/api/harness/approvals/${approvalId}`],
      ['POST', `/api/harness/approvals/${approvalId}`],
      ['GET', `/api/harness/session/${turn.sessionId}`],
    ] as const) {
      const body = method === 'POST' ? { decision: 'approve' } : undefined;
      expect([path, (await ben.send(method, path, body)).status]).toEqual([path, 404]);
    }
    await decide(ben, approvalId, 'deny');
    await endOf(turn);
  });

  it.each<[string, object]>([
    ['input', { decision: 'approve', input: { file_path: 'other.txt', content: 'y' } }],
    ['approve-session', { decision: 'approve-session' }],
    ['approve-session', { decision: 'approve-session', rule: 'write' }],
  ])('takes no more than a yes or a no: %s %j', async (named, given) => {
    const turn = await ask(one);
    const { approvalId } = await findAwaited(ben, turn.file);
    const { status, body } = await decide(ben, approvalId, given);
    expect([status, body]).toMatchObject([
      400,
      { error: { type: 'INVALID_REQUEST', message: expect.stringContaining(named) } },
    ]);
    expect(
      await server.db.$count(approvalAnswers, eq(approvalAnswers.approvalId, approvalId)),
    ).toBe(0);
    await decide(ben, approvalId, 'deny');
    await endOf(turn);
  });

  it('is not allowed by what somebody approved for the session', async () => {
    const turn = await ask(one);
    const { approvalId } = await findAwaited(ben, turn.file);
    await server.db.execute(
      sql`insert into session_grants (session_id, rule, created_at) values (${turn.sessionId}, '*', now())`,
    );
    await decide(ben, approvalId, 'deny');
    await endOf(turn);
    const message = `[[tool=write {"file_path":"granted.txt","content":"x"}]]`;
    const { sessionId } = turn;
    const opts = { onDisconnect: 'continue' };
    const ended = owner.send('POST', '/api/harness/turn', { sessionId, message, opts });
    const second = await findAwaited(ben, 'granted.txt');
    await decide(ben, second.approvalId, 'deny');
    expect((await ended).text).toContain('"exitCode":0');
    expect(existsSync(path.join(server.projectRoot, 'granted.txt'))).toBe(false);
  });

  it('is denied at its deadline, whoever has approved', async () => {
    const turn = await ask(two);
    const { approvalId } = await findAwaited(ben, turn.file);
    await decide(ben, approvalId, 'approve');
    await server.db
      .update(approvals)
      .set({ expiresAt: new Date(0) })
      .where(eq(approvals.id, approvalId));
    expect(await endOf(turn)).toContain('nobody approved the call in time');
    expect(await rowOf(approvalId)).toMatchObject({ decision: 'deny', decidedBy: 'deadline' });
    expect(wasWritten(turn)).toBe(false);
  });

  it('is answered by what the credential may at that moment', async () => {
    const turn = await ask(two);
    const { approvalId } = await findAwaited(ben, turn.file);
    await decide(ben, approvalId, 'approve');
    const { id, secret } = await makeKey(server, {
      principal: 'eve',
      scopes: ['turns', 'approvals', 'tokens'],
      approves: ['release'],
    });
    const eve = new KeyedClient(server.url, secret);
    expect(await seenBy(eve, approvalId)).toMatchObject({ status: 200 });
    const [plain, page] = [await pageOf(eve), await pageOf(eve, { approves: ['release'] })];
    expect(await seenBy(plain, approvalId)).toMatchObject({ status: 404 });
    const more = await eve.send('POST', '/api/harness/tokens', { approves: ['security'] });
    expect(more).toMatchObject({ status: 403, body: { error: { type: 'FORBIDDEN_APPROVER' } } });
    expect((await seenBy(page, approvalId)).body['approval']).toMatchObject({ isAwaitingMe: true });

    // The role is taken from the key, and with it from its page.
    await server.db.execute(sql`update api_keys set approves = null where id = ${id}`);
    await expectSoon(async () => {
      for (const gone of [eve, page]) {
        expect(await decide(gone, approvalId, 'approve')).toMatchObject({ status: 404 });
      }
    });
    await decide(cleo, approvalId, 'approve');
    await endOf(turn);
    expect(wasWritten(turn)).toBe(true);
  });

  it('is not decided by a process that knows no quorums', async () => {
    const turn = await ask(two);
    const { approvalId } = await findAwaited(ben, turn.file);
    const asBefore = server.db.execute(
      sql`update approvals set decision = 'approve', decided_by = 'owner', decided_at = now() where id = ${approvalId}`,
    );
    await expect(asBefore).rejects.toThrow();
    await decide(ben, approvalId, 'deny');
    await endOf(turn);
  });

  it('needs a role that somebody can have', async () => {
    const rule = { rule: 'write', by: ['nobody'] };
    const refused = await owner.send('POST', '/api/harness/session/create', {
      projectRoot: server.projectRoot,
      permissions: { ask: [rule] },
    });
    expect([refused.status, refused.body]).toMatchObject([
      422,
      { error: { type: 'NO_APPROVERS', details: { roles: ['nobody'] } } },
    ]);
    const key = await makeKey(server, { principal: 'rare', approves: ['rare'] });
    const turn = await ask({ by: ['rare'] });
    await expectSoon(async () => {
      expect(await server.db.$count(approvals, eq(approvals.sessionId, turn.sessionId))).toBe(1);
    });
    await server.db.execute(sql`update api_keys set revoked_at = now() where id = ${key.id}`);
    await owner.send('POST', '/api/harness/interrupt', { sessionId: turn.sessionId });
    await endOf(turn);
    const { sessionId } = turn;
    const again = await owner.send('POST', '/api/harness/turn', { sessionId, message: 'Hello' });
    expect([again.status, again.body]).toMatchObject([422, { error: { type: 'NO_APPROVERS' } }]);
  });

  it('loses the answers of who is forgotten, and keeps what was decided', async () => {
    const turn = await ask(two);
    const { approvalId } = await findAwaited(ben, turn.file);
    const fay = await keyOf('fay', ['release']);
    await decide(fay, approvalId, 'approve');
    const admin = await keyOf('root', [], { scopes: ['admin'] });
    expect((await admin.send('DELETE', '/api/admin/principals/fay')).status).toBe(200);
    const rows = eq(approvalAnswers.approvalId, approvalId);
    expect(await server.db.$count(approvalAnswers, rows)).toBe(0);
    await decide(ben, approvalId, 'approve');
    expect((await decide(cleo, approvalId, 'approve')).body['approval']).toMatchObject({
      decision: 'approve',
    });
    await endOf(turn);
    expect((await admin.send('DELETE', '/api/admin/principals/owner')).status).toBe(200);
    expect(await server.db.$count(approvalAnswers, rows)).toBe(0);
  });
});

describe('a call that people of an identity provider decide', () => {
  const { issuer, environment } = useTokenIssuer([
    { group: '*' },
    { group: 'releasers', approves: ['release'] },
  ]);
  const server = useServer({ environment });
  const personOf = async (sub: string, groups: string[], more = {}) =>
    new KeyedClient(server.url, await issuer.sign({ sub, groups, ...more }));

  it('is decided by a token that is good, of somebody in the group', async () => {
    const owner = await personOf('owner', []);
    const turn = await askForWrite(owner, {
      projectRoot: server.projectRoot,
      file: 'by-token.txt',
      rule: two,
    });
    const [ann, bob] = [await personOf('ann', ['releasers']), await personOf('bob', ['releasers'])];
    const { approvalId, requester } = await findAwaited(ann, turn.file);
    expect(requester).toBe('idp:owner');
    expect((await decide(ann, approvalId, 'approve')).status).toBe(200);
    // Out of the group, with a token of today; and in it, with one of yesterday.
    const left = await personOf('bob', []);
    expect(await decide(left, approvalId, 'approve')).toMatchObject({ status: 404 });
    const yesterday = Math.floor(Date.now() / 1_000) - 86_400;
    const expired = await personOf('bob', ['releasers'], { iat: yesterday, exp: yesterday + 60 });
    expect(await decide(expired, approvalId, 'approve')).toMatchObject({ status: 401 });
    expect((await decide(bob, approvalId, 'approve')).body['approval']).toMatchObject({
      decision: 'approve',
    });
    const ended = await turn.ended;
    expect(ended === 'cut' ? ended : ended.text).toContain('"exitCode":0');
    expect(existsSync(path.join(server.projectRoot, turn.file))).toBe(true);
  });
});
