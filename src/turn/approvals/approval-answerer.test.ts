import { beforeEach, describe, expect, it } from '@jest/globals';
import { eq, sql } from 'drizzle-orm';
import { bothDatabases } from '../../../test/support/database/both-databases.js';
import { HeldTool } from '../../../test/support/turn/held-tool.js';
import { storeApproval } from '../../../test/support/turn/store-approval.js';
import { storeTurn } from '../../../test/support/turn/store-turn.js';
import { openTestServices } from '../../../test/support/turn/turn-services.js';
import { approvals } from '../../storage/governance-schema.js';
import { sessions, turns } from '../../storage/schema.js';
import type { ToolDefinition } from '../../tools/tool.js';
import type { TurnQueue } from '../queue/turn-queue.js';
import type { AnswerInput, ApprovalRow, NewApproval, Decision } from './approval-writes.js';
import { somebody } from '../../../test/support/access/somebody.js';
import { useShared } from '../../../test/support/suite.js';
import { useDatabase } from '../../../test/support/database/database.js';

const write: ToolDefinition = {
  ...new HeldTool('write', { effect: 'edit', retry: 'never' }).definition,
  inputSchema: {
    type: 'object',
    properties: { file_path: { type: 'string' }, content: { type: 'string' } },
    required: ['file_path'],
  },
};

const bash: ToolDefinition = {
  ...new HeldTool('bash', { effect: 'command', retry: 'never' }).definition,
  inputSchema: { type: 'object', properties: { command: { type: 'string' } } },
  permissionArgument: { name: 'command', kind: 'command' },
};
const edit: ToolDefinition = {
  ...new HeldTool('edit', { effect: 'edit', retry: 'never' }).definition,
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
  permissionArgument: { name: 'path', kind: 'path' },
};

const ofClient = { kind: 'client-tool', name: 'pick' } as const;

describe.each(bothDatabases)('an answer, on %s', (_name, open) => {
  const database = useDatabase(open);
  const test = useShared(() => openTestServices(database, [write, bash, edit]));
  beforeEach(async () => {
    await database.db.delete(sessions);
  });

  /** A turn that waits for a person, with no worker. */
  const parkedTurn = (more: Partial<typeof turns.$inferInsert> = {}) =>
    storeTurn(database.db, {
      status: 'waiting',
      waitingSince: new Date(Date.now() - 60_000),
      parkedAttempt: 1,
      ...more,
    });
  const ask = async (more: Partial<NewApproval> = {}): Promise<ApprovalRow> =>
    storeApproval(database.db, await parkedTurn(), more);
  const given = (decision: Decision, more: Partial<AnswerInput> = {}): AnswerInput => ({
    decision,
    message: undefined,
    input: undefined,
    rule: undefined,
    ...more,
  });
  const answer = (id: string, what: AnswerInput, by = 'ann'): Promise<ApprovalRow> =>
    test.services.answerer.answerOne({ approvalId: id, given: what }, somebody(by));
  const rowOf = async (id: string): Promise<ApprovalRow | undefined> => {
    const [row] = await database.db.select().from(approvals).where(eq(approvals.id, id));
    return row;
  };
  const turnOf = async (id: string) => {
    const [turn] = await database.db.select().from(turns).where(eq(turns.id, id));
    return turn;
  };

  it.each<[Decision, Partial<AnswerInput>, object]>([
    ['approve', {}, {}],
    ['approve', { input: { file_path: 'b' } }, { editedInput: { file_path: 'b' } }],
    ['approve-session', {}, {}],
    ['approve-session', { rule: 'write' }, { grantRule: 'write' }],
    ['deny', { message: 'Not in the root.' }, { message: 'Not in the root.' }],
  ])('is stored and lets the turn go on: %s %j', async (decision, more, stored) => {
    const asked = await ask();
    const answered = await answer(asked.id, given(decision, more));
    expect(answered).toEqual({
      ...asked,
      ...stored,
      decision,
      decidedBy: 'ann',
      decidedAt: expect.any(Date),
    });
    expect(await rowOf(asked.id)).toEqual(answered);
    const turn = await turnOf(asked.turnId);
    expect(turn).toMatchObject({ status: 'running', attempt: 1, leaseUntil: null });
    expect(turn).toMatchObject({ waitingSince: null, waitedMs: expect.any(Number) });
    // The minute it waited is not its own.
    expect(turn?.waitedMs).toBeGreaterThanOrEqual(60_000);
    expect(await test.services.queue.depth()).toBeGreaterThan(0);
    expect(await test.services.claims.claimable(0)).toBe(1);
  });

  it('is the same answer again, whatever the order of its fields', async () => {
    const { id } = await ask();
    const edited = given('approve', { input: { file_path: 'b', content: 'y' } });
    const first = await answer(id, edited);
    const again = given('approve', { input: { content: 'y', file_path: 'b' } });
    expect(await answer(id, again)).toEqual(first);
  });

  it.each([
    ['another decision', given('deny'), 'ann'],
    ['another person', given('approve'), 'bob'],
    ['another input', given('approve', { input: { file_path: 'b' } }), 'ann'],
    ['a message', given('approve', { message: 'Fine.' }), 'ann'],
    ['a rule', given('approve-session', { rule: 'write' }), 'ann'],
  ])('is refused after another one: %s', async (_what, second, by) => {
    const { id } = await ask();
    const first = await answer(id, given('approve'));
    await expect(answer(id, second, by)).rejects.toMatchObject({
      type: 'APPROVAL_RESOLVED',
      status: 409,
      message: expect.stringContaining('ann decided it'),
      details: { approvalId: id, decision: 'approve', by: 'ann' },
    });
    expect(await rowOf(id)).toEqual(first);
  });

  it.each<[unknown, boolean | undefined, string, boolean]>([
    ['red', undefined, 'red', false],
    ['', false, '', false],
    ['a\0\ud800', undefined, 'a\0\ud800', false],
    [{ rgb: [1, null] }, undefined, '{"rgb":[1,null]}', false],
    [null, true, 'null', true],
  ])('has the output of a client’s tool: %j', async (output, isError, text, isStoredError) => {
    const asked = await ask(ofClient);
    const what = given('answer', { output, isError });
    const answered = await answer(asked.id, what);
    expect(answered).toMatchObject({ decision: 'answer', output: text, isError: isStoredError });
    expect(await rowOf(asked.id)).toEqual(answered);
    expect(await turnOf(asked.turnId)).toMatchObject({ status: 'running' });
    expect(await answer(asked.id, what)).toEqual(answered);
    for (const other of [{ output: 'blue' }, { output, isError: !isStoredError }]) {
      await expect(answer(asked.id, given('answer', other))).rejects.toMatchObject({
        type: 'APPROVAL_RESOLVED',
      });
    }
  });

  describe('with others', () => {
    const several = (what: [string, AnswerInput][]) =>
      test.services.answerer.answer({
        answers: what.map(([approvalId, one]) => ({ approvalId, given: one })),
        by: somebody('ann'),
      });
    const askTwo = async () => {
      const turnId = await parkedTurn();
      const first = await storeApproval(database.db, turnId);
      return { turnId, first, second: await storeApproval(database.db, turnId, ofClient) };
    };

    it('is taken with them, and lets the turn go on once', async () => {
      const { turnId, first, second } = await askTwo();
      const other = await ask();
      const all: [string, AnswerInput][] = [
        [second.id, given('answer', { output: 'red' })],
        [other.id, given('deny')],
        [first.id, given('approve')],
      ];
      const answered = await several(all);
      expect(answered.map(({ id, decision }) => [id, decision])).toEqual(
        all.map(([id, { decision }]) => [id, decision]),
      );
      for (const id of [turnId, other.turnId]) {
        expect(await turnOf(id)).toMatchObject({ status: 'running' });
      }
      expect(await several(all)).toEqual(answered);
    });

    it('is not taken where one of them cannot be', async () => {
      const { turnId, first, second } = await askTwo();
      await expect(
        several([
          [first.id, given('approve')],
          [second.id, given('approve')],
        ]),
      ).rejects.toMatchObject({ type: 'INVALID_REQUEST' });
      const declined = await ask();
      await answer(declined.id, given('deny'));
      await expect(
        several([
          [first.id, given('approve')],
          [declined.id, given('approve')],
        ]),
      ).rejects.toMatchObject({ type: 'APPROVAL_RESOLVED' });
      expect([await rowOf(first.id), await rowOf(second.id)]).toEqual([first, second]);
      expect(await turnOf(turnId)).toMatchObject({ status: 'waiting' });
    });

    it('that says again what was said wakes nobody', async () => {
      const { turnId, first } = await askTwo();
      await answer(first.id, given('approve'));
      const waitingSince = new Date();
      await database.db
        .update(turns)
        .set({ status: 'waiting', waitingSince })
        .where(eq(turns.id, turnId));
      await answer(first.id, given('approve'));
      expect(await turnOf(turnId)).toMatchObject({ status: 'waiting', waitingSince });
    });
  });

  it.each(['a\0b', 'x'.repeat(4_001)])('has no message that cannot be kept', async (message) => {
    const asked = await ask();
    await expect(answer(asked.id, given('deny', { message }))).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('4000 characters'),
    });
    expect(await rowOf(asked.id)).toEqual(asked);
  });

  it('is one of fifty that come at once', async () => {
    const asked = await ask();
    const settled = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) =>
        answer(asked.id, given(index % 2 === 0 ? 'approve' : 'deny'), `person-${index}`),
      ),
    );
    const taken = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(taken).toHaveLength(1);
    expect(taken).toEqual([await rowOf(asked.id)]);
    const reasons = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    for (const reason of reasons) expect(reason).toMatchObject({ type: 'APPROVAL_RESOLVED' });
  });

  it('takes no turn from a worker that has it, and waits to be found', async () => {
    const leaseUntil = new Date(Date.now() + 60_000);
    const running = { status: 'running', waitingSince: null, leaseUntil } as const;
    const turnId = await parkedTurn(running);
    const { id } = await storeApproval(database.db, turnId);
    expect(await answer(id, given('approve'))).toMatchObject({ appliedAttempt: null });
    expect(await turnOf(turnId)).toMatchObject(running);
    // The worker parks it without having seen the answer.
    const parked = { status: 'waiting', leaseUntil: null } as const;
    await database.db.update(turns).set(parked).where(eq(turns.id, turnId));
    expect(await test.services.claims.wakeable()).toEqual([turnId]);
  });

  it('comes too late for a turn that has ended', async () => {
    const { id } = await ask({ decision: 'cancelled', decidedBy: 'server' });
    await expect(answer(id, given('approve'))).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining('its turn has ended'),
    });
  });

  it('counts though it wakes no worker', async () => {
    const asked = await ask();
    const isAway = { wake: () => Promise.reject(new Error('the queue is away')) };
    const queue: TurnQueue = Object.assign(Object.create(test.services.queue) as TurnQueue, isAway);
    const { answerer, claims } = await test.beside({ queue });
    const what = { approvalId: asked.id, given: given('approve') };
    const answered = await answerer.answerOne(what, somebody('ann'));
    expect(answered).toEqual(await rowOf(asked.id));
    expect(await claims.claimable(0)).toBe(1);
  });

  it('is not there at all where the turn could not be woken, and may be given again', async () => {
    const { db } = database;
    const asked = await ask();
    await db.execute(sql`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'no'; end $$`);
    await db.execute(sql`create trigger refuse before update on turns
      for each row execute function refuse()`);
    await expect(answer(asked.id, given('approve'))).rejects.toThrow();
    await db.execute(sql`drop function refuse cascade`);
    expect(await rowOf(asked.id)).toEqual(asked);
    expect(await turnOf(asked.turnId)).toMatchObject({ status: 'waiting' });
    expect(await answer(asked.id, given('deny'))).toMatchObject({ decision: 'deny' });
  });

  const push = { name: 'bash', input: { command: 'git push' } } as const;
  const docs = { name: 'edit', input: { path: 'docs/a.md' } } as const;

  it.each<[string, Partial<NewApproval>, Partial<AnswerInput>]>([
    ['bash(git push)', push, {}],
    ['bash(git *)', push, {}],
    ['bash', push, {}],
    ['*', push, {}],
    ['bash(git pull)', push, { input: { command: 'git pull' } }],
    ['bash(echo $HOME)', { ...push, input: { command: 'echo $HOME' } }, {}],
    ['edit(docs/**)', docs, {}],
    ['mcp__box__*', { name: 'mcp__box__echo', input: {} }, {}],
  ])('may allow for the session what covers its call: %s', async (rule, asking, more) => {
    const { id } = await ask(asking);
    expect(await answer(id, given('approve-session', { rule, ...more }))).toMatchObject({
      grantRule: rule,
    });
  });

  it.each<[string, Partial<NewApproval>, Partial<AnswerInput>, string]>([
    ['bash(git pull*)', push, {}, 'for example bash(git push), or leave it out'],
    ['write', push, {}, 'for example bash(git push), or leave it out'],
    [
      'bash(git push)',
      push,
      { input: { command: 'rm x' } },
      'for example bash(rm x), or leave it out',
    ],
    ['bash(echo *)', { ...push, input: { command: 'echo $(id)' } }, {}, 'bash(echo $(id))'],
    ['bash(git *)', { ...push, input: { command: 'git log; id' } }, {}, 'bash(git log; id)'],
    ['edit(src/**)', docs, {}, 'for example edit(docs/a.md), or leave it out'],
    ['mcp__other__*', { name: 'mcp__box__echo', input: {} }, {}, 'mcp__box__echo, or leave it out'],
  ])('may not allow for the session what is another call: %s', async (...row) => {
    const [rule, asking, more, advice] = row;
    const asked = await ask(asking);
    const what = given('approve-session', { rule, ...more });
    await expect(answer(asked.id, what)).rejects.toMatchObject({
      type: 'INVALID_REQUEST',
      status: 400,
      message: expect.stringContaining(advice),
    });
    expect(await rowOf(asked.id)).toEqual(asked);
  });

  it.each<[Partial<AnswerInput>, Partial<NewApproval>, string]>([
    [{ decision: 'deny', rule: 'write' }, {}, "'rule' goes with"],
    [{ decision: 'approve', rule: 'write' }, {}, "'rule' goes with"],
    [{ decision: 'approve-session', rule: 'write(' }, {}, "'rule' "],
    [{ decision: 'approve-session', rule: 'wirte' }, {}, 'which does not exist'],
    [{ decision: 'deny', input: {} }, {}, "'input' goes with an approval"],
    [{ decision: 'approve', input: [] }, {}, "'input' must be an object"],
    [{ decision: 'approve', input: null }, {}, "'input' must be an object"],
    [{ decision: 'approve', input: {} }, {}, "'input' does not fit write: "],
    [{ decision: 'approve-session' }, { kind: 'unknown-outcome' }, 'whether a call may run again'],
    [
      { decision: 'approve', input: { file_path: 'b' } },
      { kind: 'unknown-outcome' },
      "'input' cannot be changed",
    ],
    [{ decision: 'answer', output: 'x' }, {}, '"answer" is for tools of the client'],
    [{ decision: 'approve', output: 'x' }, {}, "'output' and 'isError' go with"],
    [{ decision: 'deny', isError: false }, {}, "'output' and 'isError' go with"],
    [{ decision: 'approve' }, ofClient, 'send decision "answer" with its output, or "deny"'],
    [{ decision: 'approve-session' }, ofClient, 'send decision "answer" with its output'],
    [{ decision: 'answer' }, ofClient, "Missing 'output'"],
    [{ decision: 'answer', output: 'x', input: {} }, ofClient, "'input' goes with an approval"],
    [{ decision: 'answer', output: 'x', rule: 'write' }, ofClient, "'rule' goes with"],
  ])('that makes no sense is refused, and the question stays open: %j %j', async (...row) => {
    const [more, kind, message] = row;
    const asked = await ask(kind);
    await expect(answer(asked.id, { ...given('deny'), ...more })).rejects.toMatchObject({
      type: 'INVALID_REQUEST',
      message: expect.stringContaining(message),
    });
    expect(await rowOf(asked.id)).toEqual(asked);
    expect(await turnOf(asked.turnId)).toMatchObject({ status: 'waiting' });
  });

  it('may change the input of a tool that only workers know', async () => {
    const { id } = await ask({ name: 'mcp__wiki__edit' });
    const input = { page: 'Start' };
    expect(await answer(id, given('approve', { input }))).toMatchObject({ editedInput: input });
  });

  it.each(['appr_x', 'appr_00000000-0000-4000-8000-000000000000', ''])(
    'to what was not asked is refused: %j',
    async (id) => {
      await expect(answer(id, given('approve'))).rejects.toMatchObject({
        type: 'APPROVAL_NOT_FOUND',
        status: 404,
      });
    },
  );
});
