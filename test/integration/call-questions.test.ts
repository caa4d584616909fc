import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { asc, eq, sql } from 'drizzle-orm';
import { somebody } from '../support/access/somebody.js';
import { expectSoon } from '../support/expect-soon.js';
import { useDatabase } from '../support/database/database.js';
import { submit } from '../support/turn/submit.js';
import { openTestServices, type TestServices } from '../support/turn/turn-services.js';
import { loadArchive } from '../../src/events/archive.js';
import { approvals } from '../../src/storage/governance-schema.js';
import { toolCalls } from '../../src/storage/transcript-schema.js';
import { turns } from '../../src/storage/schema.js';
import {
  CallWaits,
  type CallAnswer,
  type CallQuestion,
  type ToolDefinition,
  type ToolCall,
} from '../../src/tools/tool.js';
import type { AnswerInput } from '../../src/turn/approvals/approval-writes.js';
import { ApprovalStore } from '../../src/turn/approvals/approval-store.js';

const database = useDatabase();

const question: CallQuestion = {
  kind: 'elicitation',
  reason: 'the shop asks',
  question: { server: 'shop', message: 'Which colour?' },
};
const logIn: CallQuestion = {
  kind: 'mcp-authorize',
  reason: 'the shop wants a log-in',
  question: { server: 'shop', host: 'shop.example', scopes: ['orders'] },
};

/** The answers that each run of the tool had. */
let runs: (readonly CallAnswer[])[];
/** What a run does with its answers. */
let behaviour: (answers: readonly CallAnswer[]) => string;

const order: ToolDefinition = {
  name: 'order',
  description: 'Orders something.',
  inputSchema: { type: 'object' },
  effect: 'read',
  retry: 'never',
  open: () => ({
    run: async (_input, { answers = [] }) => {
      runs.push(answers);
      return behaviour(answers);
    },
  }),
};

/** It has an effect. */
const buy: ToolDefinition = { ...order, name: 'buy', effect: 'edit' };

/** What a run that asks while it goes on does with the way to ask. */
let held: (ask: NonNullable<ToolCall['ask']>) => Promise<string>;

const haggle: ToolDefinition = {
  ...order,
  name: 'haggle',
  open: () => ({
    run: async (_input, { ask: hold }) => {
      if (hold === undefined) throw new Error('Nobody can be asked');
      return held(hold);
    },
  }),
};

const ask = (asked: CallQuestion, more: { state?: Record<string, string>; executed?: boolean }) => {
  throw new CallWaits(asked, { executed: true, ...more });
};

let test: TestServices;
beforeEach(async () => {
  runs = [];
  behaviour = (answers) =>
    answers.length === 0
      ? ask(question, { state: { token: 'opaque' } })
      : `ordered: ${JSON.stringify(answers)}`;
  test = await openTestServices(database, [order, buy, haggle], {});
  await test.startWorker();
});
afterEach(async () => {
  await test.close();
});

async function send(more: object = {}): Promise<string> {
  const opts = { tools: ['order'], onDisconnect: 'continue', ...more };
  return (await submit(test, '[[tool=order {}]]', opts)).turnId;
}

/** Waits until the turn is parked for another question, or has ended. */
async function settle(turnId: string): Promise<string> {
  const status = async (): Promise<string> => {
    const [turn] = await database.db.select().from(turns).where(eq(turns.id, turnId));
    return turn?.status ?? 'none';
  };
  await expectSoon(async () => expect(['queued', 'running']).not.toContain(await status()));
  return status();
}

const rowsOf = (turnId: string) =>
  database.db
    .select()
    .from(approvals)
    .where(eq(approvals.turnId, turnId))
    .orderBy(asc(approvals.createdAt), asc(approvals.id));

const callOf = async (turnId: string) =>
  (await database.db.select().from(toolCalls).where(eq(toolCalls.turnId, turnId)))[0];

async function answer(turnId: string, given: Partial<AnswerInput>): Promise<void> {
  const open = (await rowsOf(turnId)).find(({ decision }) => decision === null);
  const all = {
    decision: 'answer' as const,
    message: undefined,
    input: undefined,
    rule: undefined,
  };
  const one = { approvalId: open?.id ?? '', given: { ...all, ...given } };
  await test.services.answerer.answerOne(one, somebody('local'));
}

const typesOf = async (turnId: string) =>
  (await loadArchive(database.db, turnId)).map(({ type }) => type);

describe('a call that asks its person', () => {
  it('parks its turn, and runs again with the answer and what it kept', async () => {
    const turnId = await send();
    expect(await settle(turnId)).toBe('waiting');
    // Nobody runs it.
    expect(await callOf(turnId)).toBeUndefined();
    const [asked] = await rowsOf(turnId);
    expect(asked).toMatchObject({ ...question, round: 1, onTimeout: 'deny', decision: null });
    expect(JSON.stringify(await loadArchive(database.db, turnId))).not.toContain('opaque');
    await answer(turnId, { content: { colour: 'red' } });
    expect(await settle(turnId)).toBe('completed');
    expect(runs).toEqual([
      [],
      [
        {
          kind: 'elicitation',
          question: question.question,
          action: 'accept',
          content: { colour: 'red' },
          state: { token: 'opaque' },
        },
      ],
    ]);
    expect((await callOf(turnId))?.output).toMatch(/^ordered/);
    const types = await typesOf(turnId);
    expect(types.filter((type) => type === 'tool.started')).toHaveLength(1);
    expect(types.filter((type) => type === 'tool.ended')).toHaveLength(1);
    expect(types.filter((type) => type === 'turn.ended')).toHaveLength(1);
  });

  it.each([
    [{ decision: 'deny' }, 'decline'],
    [{ decision: 'cancel' }, 'cancel'],
  ] as const)('is told of %j', async (given, action) => {
    const turnId = await send();
    await settle(turnId);
    await answer(turnId, given);
    expect(await settle(turnId)).toBe('completed');
    expect(runs.at(-1)).toMatchObject([{ action }]);
  });

  it('is told after the deadline that nobody answered', async () => {
    const turnId = await send();
    await settle(turnId);
    await database.db.update(approvals).set({ expiresAt: new Date(0) });
    await new ApprovalStore(database.db).expire();
    const { claims } = test.services;
    await claims.wake(await claims.wakeable());
    await test.services.queue.wake();
    expect(await settle(turnId)).toBe('completed');
    expect(runs.at(-1)).toMatchObject([{ action: 'cancel' }]);
  });

  it('may ask ten times, and not more', async () => {
    behaviour = ({ length }) => ask(question, { state: { round: String(length) } });
    const turnId = await send();
    for (let round = 1; round <= 10; round += 1) {
      expect(await settle(turnId)).toBe('waiting');
      expect((await rowsOf(turnId)).map((row) => row.round)).toHaveLength(round);
      await answer(turnId, {});
    }
    expect(await settle(turnId)).toBe('completed');
    expect(await callOf(turnId)).toMatchObject({
      status: 'error',
      output: expect.stringContaining('10 questions'),
    });
  });

  it('leaves a question open that is answered wrongly', async () => {
    const turnId = await send();
    await settle(turnId);
    for (const wrong of [
      { decision: 'approve-session' as const },
      { content: ['red'] },
      { output: 'red' },
      { decision: 'deny' as const, content: {} },
    ]) {
      await expect(answer(turnId, wrong)).rejects.toMatchObject({ type: 'INVALID_REQUEST' });
    }
    expect(await settle(turnId)).toBe('waiting');
    expect(runs).toHaveLength(1);
  });

  it('is stopped with its turn, which says that it may have had an effect', async () => {
    const opts = { tools: ['buy'], onDisconnect: 'continue', mode: 'acceptEdits' };
    const { turnId } = await submit(test, '[[tool=buy {}]]', opts);
    expect(await settle(turnId)).toBe('waiting');
    await test.services.canceller.cancel(turnId, 'interrupt');
    expect(await settle(turnId)).toBe('interrupted');
    expect(await callOf(turnId)).toMatchObject({ status: 'unknown' });
    expect(await rowsOf(turnId)).toMatchObject([{ decision: 'cancelled' }]);
    expect(runs).toHaveLength(1);
  });

  it.each([
    ['in mode dontAsk', { mode: 'dontAsk' }, {}],
    ['in a turn that nobody waits for', {}, { unattended: true as const }],
  ])('fails at once %s', async (_where, opts, more) => {
    const all = { tools: ['order'], onDisconnect: 'continue', ...opts };
    const { turnId } = await submit(test, '[[tool=order {}]]', all, more);
    expect(await settle(turnId)).toBe('completed');
    expect(await rowsOf(turnId)).toEqual([]);
    expect(await callOf(turnId)).toMatchObject({
      status: 'error',
      output: expect.stringContaining('nobody can be asked in this turn: the shop asks'),
    });
  });
});

describe('a call that goes on while its person is asked', () => {
  const begin = async (): Promise<string> => {
    const opts = { tools: ['haggle'], onDisconnect: 'continue' };
    return (await submit(test, '[[tool=haggle {}]]', opts)).turnId;
  };
  const asked = (turnId: string) =>
    expectSoon(async () => expect(await rowsOf(turnId)).toHaveLength(1));
  const resolved = async (turnId: string) =>
    (await loadArchive(database.db, turnId)).filter(({ type }) => type === 'approval.resolved');

  it('has the answer, and the turn is not parked', async () => {
    held = async (hold) => JSON.stringify(await hold(question, new AbortController().signal));
    const turnId = await begin();
    await asked(turnId);
    await answer(turnId, { content: { colour: 'red' } });
    expect(await settle(turnId)).toBe('completed');
    expect((await callOf(turnId))?.output).toContain('"colour":"red"');
    expect(await typesOf(turnId)).not.toContain('turn.parked');
    expect(await resolved(turnId)).toMatchObject([{ decision: 'answer' }]);
  });

  it('is told after the deadline that nobody answered; a later answer is refused', async () => {
    held = async (hold) => JSON.stringify(await hold(question, new AbortController().signal));
    const turnId = await begin();
    await asked(turnId);
    await database.db.update(approvals).set({ expiresAt: new Date(0) });
    await new ApprovalStore(database.db).expire();
    const [row] = await rowsOf(turnId);
    const late = { decision: 'answer' as const, content: { colour: 'red' } };
    const rest = { message: undefined, input: undefined, rule: undefined };
    const given = { approvalId: row?.id ?? '', given: { ...rest, ...late } };
    await expect(test.services.answerer.answerOne(given, somebody('local'))).rejects.toMatchObject({
      type: 'APPROVAL_RESOLVED',
    });
    expect(await settle(turnId)).toBe('completed');
    expect((await callOf(turnId))?.output).toContain('"action":"cancel"');
    expect(await resolved(turnId)).toMatchObject([{ decision: 'deny', by: 'deadline' }]);
  });

  it('gets no answer that comes as it stops to wait: the row says what the event says', async () => {
    const { db } = database;
    // Somebody answers after the question is asked, and before it is looked for or closed.
    await db.execute(sql`create function answer_at_once() returns trigger language plpgsql as $$
      begin
        update approvals set decision = 'answer', output = '{"colour":"red"}', decided_by = 'local' where id = new.id;
        return null;
      end $$`);
    await db.execute(sql`create trigger answer_at_once after insert on approvals
      for each row execute function answer_at_once()`);
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    held = async (hold) => {
      const over = AbortSignal.abort(new Error('no more'));
      await expect(hold(question, over)).rejects.toThrow('no more');
      await finished;
      return 'left';
    };
    const turnId = await begin();
    await asked(turnId);
    await db.execute(sql`drop function answer_at_once cascade`);
    const closed = { decision: 'cancelled', decidedBy: 'server', output: null, appliedAttempt: 1 };
    await expectSoon(async () => expect(await rowsOf(turnId)).toMatchObject([closed]));
    finish();
    expect(await settle(turnId)).toBe('completed');
    expect(await resolved(turnId)).toMatchObject([{ decision: 'cancelled', by: 'server' }]);
  });
});

describe('a call that wants its person to log in', () => {
  beforeEach(() => {
    behaviour = (answers) =>
      answers.length === 0 ? ask(logIn, { executed: false }) : `ordered: ${answers[0]?.action}`;
  });

  it('ends without another run where the person declines', async () => {
    const turnId = await send();
    expect(await settle(turnId)).toBe('waiting');
    await answer(turnId, { decision: 'deny', message: 'not this shop' });
    expect(await settle(turnId)).toBe('completed');
    expect(runs).toHaveLength(1);
    expect(await callOf(turnId)).toMatchObject({
      status: 'refused',
      output: expect.stringContaining('declined to log in at the MCP server: not this shop'),
    });
  });

  it('is not answered by words: the log-in answers it', async () => {
    const turnId = await send();
    await settle(turnId);
    await expect(answer(turnId, { decision: 'approve' })).rejects.toMatchObject({
      message: expect.stringContaining('/authorize'),
    });
    const [asked] = await rowsOf(turnId);
    await database.db.transaction(async (tx) => {
      const fields = { message: null, editedInput: null, grantRule: null, output: null };
      const given = { ...fields, files: null, isError: null, decision: 'approve', by: 'local' };
      const id = asked?.id ?? '';
      await new ApprovalStore(database.db).answer(id, { ...given, decision: 'approve' }, tx);
      await test.services.claims.wake([turnId], tx);
    });
    await test.services.queue.wake();
    expect(await settle(turnId)).toBe('completed');
    expect((await callOf(turnId))?.output).toBe('ordered: accept');
  });
});
