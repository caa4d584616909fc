import { beforeAll, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { bothDatabases } from '../../test/support/database/both-databases.js';
import { storeTurn } from '../../test/support/turn/store-turn.js';
import { storeEndpoint } from '../../test/support/webhooks/store-endpoint.js';
import { turns } from '../storage/schema.js';
import { webhookDeliveries, webhookEndpoints } from '../storage/automation-schema.js';
import { updateTurnKind } from '../storage/write-kind.js';
import { FencedError } from './event-log.js';
import { TurnCommits, type TurnCommit } from './turn-commits.js';
import { noUsage, type TurnEvent, type TurnEventBody } from './turn-event.js';
import { useDatabase } from '../../test/support/database/database.js';

const at = '2026-01-01T00:00:00.000Z';
const storeStatus = updateTurnKind(turns, ['status', 'endedAt']);
const ended: TurnEventBody = {
  type: 'turn.ended',
  outcome: 'completed',
  exitCode: 0,
  reason: 'end_turn',
  text: 'a reply that no webhook is sent',
  usage: noUsage,
  durationMs: 7,
};
const asked: TurnEventBody = {
  type: 'approval.requested',
  approvalId: 'appr_1',
  callId: 'call_1',
  name: 'bash',
  input: { command: 'a secret' },
  kind: 'tool',
  reason: 'a rule asks',
  expiresAt: at,
  onTimeout: 'deny',
};
const stamp = (bodies: readonly TurnEventBody[]): TurnEvent[] =>
  bodies.map((body, index) => ({ ...body, attempt: 1, seq: index + 1, at }));

describe.each(bothDatabases)('the outbox of webhooks, on %s', (_name, open) => {
  let commits: TurnCommits;
  const database = useDatabase(open);
  beforeAll(async () => {
    commits = new TurnCommits(database.db);
  });

  const commit = (turnId: string, bodies: readonly TurnEventBody[]): TurnCommit => ({
    turnId,
    attempt: 1,
    writes: [],
    events: stamp(bodies),
    isRepeat: false,
  });
  const deliveriesOf = (endpointId: string) =>
    database.db
      .select()
      .from(webhookDeliveries)
      .where(eq(webhookDeliveries.endpointId, endpointId))
      .orderBy(webhookDeliveries.id);

  it('says who is awaited for a call that people with a role decide', async () => {
    const principalId = 'rita';
    const endpoint = await storeEndpoint(database.db, { principalId });
    const turnId = await storeTurn(database.db, { principalId });
    const awaits = [{ by: ['release'], count: 2, notRequester: true }];
    await commits.store(commit(turnId, [{ ...asked, awaits }]));
    const [delivery] = await deliveriesOf(endpoint);
    expect(delivery?.facts).toMatchObject({ awaits });
  });

  it('has each event that is told, with what a receiver needs to fetch the rest', async () => {
    const principalId = 'alice';
    const endpoint = await storeEndpoint(database.db, { principalId });
    const turnId = await storeTurn(database.db, { principalId });
    const parked: TurnEventBody = { type: 'turn.parked', approvalIds: ['appr_1'] };
    const started: TurnEventBody = {
      type: 'turn.started',
      sessionId: 's',
      messageId: 'm',
      agent: 'A',
      model: 'claude',
      providerSessionId: 'p',
      resumed: false,
      contextWindow: 200_000,
      maxTurns: 50,
    };
    const step: TurnEventBody = { type: 'step.started', step: 1 };
    await commits.store(commit(turnId, [started, step, asked, parked, ended]));

    const deliveries = await deliveriesOf(endpoint);
    const uuid = turnId.replace('turn_', '');
    expect(deliveries.map(({ id, type, facts }) => [id, type, facts])).toEqual([
      [`evt_${uuid}_1_1`, 'turn.started', { attempt: 1, seq: 1, agent: 'A', model: 'claude' }],
      [
        `evt_${uuid}_1_3`,
        'approval.requested',
        { attempt: 1, seq: 3, approvalId: 'appr_1', kind: 'tool', name: 'bash', expiresAt: at },
      ],
      [`evt_${uuid}_1_4`, 'turn.waiting', { attempt: 1, seq: 4, approvalIds: ['appr_1'] }],
      [
        `evt_${uuid}_1_5`,
        'turn.ended',
        {
          attempt: 1,
          seq: 5,
          outcome: 'completed',
          exitCode: 0,
          reason: 'end_turn',
          durationMs: 7,
        },
      ],
    ]);
    const [first] = deliveries;
    expect(first).toMatchObject({ turnId, status: 'pending', attempt: 0, failures: 0 });
    expect(first?.nextAt.toISOString()).toBe(at);
    expect(JSON.stringify(deliveries)).not.toMatch(/a secret|a reply/);
  });

  it('has rows for the endpoints of the principal that are enabled and ask for the event', async () => {
    const principalId = 'bob';
    const mine = await storeEndpoint(database.db, { principalId, events: ['turn.ended'] });
    const other = await storeEndpoint(database.db, { principalId, events: ['turn.started'] });
    const off = await storeEndpoint(database.db, { principalId, enabled: false });
    const foreign = await storeEndpoint(database.db, { principalId: 'carol' });
    const turnId = await storeTurn(database.db, { principalId });
    await commits.store(commit(turnId, [ended]));
    const found = await Promise.all([mine, other, off, foreign].map(deliveriesOf));
    expect(found.map(({ length }) => length)).toEqual([1, 0, 0, 0]);
  });

  it('has one row for an event whose statement is made again', async () => {
    const principalId = 'dora';
    const endpoint = await storeEndpoint(database.db, { principalId });
    const turnId = await storeTurn(database.db, { principalId });
    const once = commit(turnId, [ended]);
    await commits.store(once);
    await commits.store({ ...once, isRepeat: true });
    expect(await deliveriesOf(endpoint)).toHaveLength(1);
  });

  it('has nothing of a statement that stores nothing', async () => {
    const principalId = 'emil';
    const endpoint = await storeEndpoint(database.db, { principalId });
    const turnId = await storeTurn(database.db, { principalId });
    const fenced = { ...commit(turnId, [ended]), attempt: 2 };
    await expect(commits.store(fenced)).rejects.toThrow(FencedError);
    expect(await deliveriesOf(endpoint)).toEqual([]);
  });

  it('has rows for each turn of a statement, each for its own principal', async () => {
    const principals = ['fred', 'gina', 'hugo'];
    const endpoints = await Promise.all(
      principals.map((principalId) => storeEndpoint(database.db, { principalId })),
    );
    const ids = await Promise.all(
      principals.map((principalId) => storeTurn(database.db, { principalId })),
    );
    const end = storeStatus({ status: 'completed', endedAt: new Date(at) });
    await Promise.all(
      ids.map((turnId) => commits.store({ ...commit(turnId, [ended]), writes: [end] })),
    );
    const found = await Promise.all(endpoints.map(deliveriesOf));
    expect(found.map((rows) => rows.map(({ turnId }) => turnId))).toEqual(ids.map((id) => [id]));
  });

  it('neither waits for the deletion of an endpoint nor fails with it', async () => {
    const principalId = 'ida';
    const endpoint = await storeEndpoint(database.db, { principalId });
    const turnId = await storeTurn(database.db, { principalId });
    let stored: Promise<unknown> | undefined;
    await database.db.transaction(async (tx) => {
      await tx.delete(webhookEndpoints).where(eq(webhookEndpoints.id, endpoint));
      stored = commits.store(commit(turnId, [ended]));
      // The embedded engine has one session, which the transaction has.
      if (_name === 'PostgreSQL') expect(await stored).toMatchObject({ type: 'stored' });
    });
    expect(await stored).toMatchObject({ type: 'stored' });
  });
});
