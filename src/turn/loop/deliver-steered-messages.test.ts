import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { asc, eq } from 'drizzle-orm';
import { useDatabase } from '../../../test/support/database/database.js';
import { HeldTool } from '../../../test/support/turn/held-tool.js';
import { openTestServices, type TestServices } from '../../../test/support/turn/turn-services.js';
import type { TurnEvent } from '../../events/turn-event.js';
import { steeredMessages } from '../../storage/governance-schema.js';
import { sessions, turns } from '../../storage/schema.js';
import { MemoryTurnQueue } from '../queue/turn-queue.js';
import { storeSteeredMessage } from '../submit/steer-turn.js';
import { submit, newSession } from '../../../test/support/turn/submit.js';

describe('messages steered into a turn', () => {
  let test: TestServices;
  let tool: HeldTool;
  const database = useDatabase();
  beforeEach(async () => {
    await database.db.delete(sessions);
    tool = new HeldTool('look', { effect: 'read', retry: 'safe' });
    test = await openTestServices(database, [tool.definition]);
  });
  afterEach(async () => {
    tool.finishAll();
    await test.close();
  });

  const send = (sessionId: string, message: string, opts: object) =>
    submit(test, message, { tools: ['look'], onDisconnect: 'continue', ...opts }, { sessionId });
  const steer = (sessionId: string, message: string) =>
    send(sessionId, message, { onBusy: 'steer' });
  /** A worker with its own queue, as on a separate host. */
  async function work(): Promise<void> {
    const queue = new MemoryTurnQueue(() => undefined);
    await test.startWorker({ queue });
    await queue.wake();
  }
  async function follow(turnId: string, see?: (seen: TurnEvent[]) => Promise<void>) {
    const seen: TurnEvent[] = [];
    const { signal } = new AbortController();
    await test.services.follower.follow(turnId, signal, async (events) => {
      for (const event of events) {
        seen.push(event);
        await see?.(seen);
      }
      return false;
    });
    return seen;
  }
  const rowsOf = (turnId: string) =>
    database.db
      .select({ text: steeredMessages.text, afterStep: steeredMessages.afterStep })
      .from(steeredMessages)
      .where(eq(steeredMessages.turnId, turnId))
      .orderBy(asc(steeredMessages.position));
  /** The text of the model's n-th request, from 1. */
  const sent = (count: number): string =>
    JSON.stringify(test.modelRequests[count - 1]?.body.messages);

  it('is delivered with the next model call, in order, and announced once', async () => {
    const sessionId = await newSession(test);
    const { turnId } = await send(sessionId, '[[tool=look {}]]', {});
    await work();
    const call = await tool.call(1);
    for (const text of ['First this', 'then that']) await steer(sessionId, text);
    call.finish();
    const seen = await follow(turnId);
    const delivered = seen.filter((event) => event.type === 'message.joined');
    expect(delivered).toMatchObject([
      { text: 'First this', afterStep: 1 },
      { text: 'then that', afterStep: 1 },
    ]);
    const types = seen.map(({ type }) => type);
    expect(types.indexOf('message.joined')).toBeGreaterThan(types.indexOf('tool.ended'));
    expect(types.indexOf('message.joined')).toBeLessThan(types.lastIndexOf('step.started'));
    expect(sent(2).indexOf('First this')).toBeLessThan(sent(2).indexOf('then that'));
    expect(test.modelRequests).toHaveLength(2);
    expect(await rowsOf(turnId)).toEqual([
      { text: 'First this', afterStep: 1 },
      { text: 'then that', afterStep: 1 },
    ]);
  });

  it('before a worker has it is delivered with the first call', async () => {
    const sessionId = await newSession(test);
    const { turnId } = await send(sessionId, 'Hello', {});
    await steer(sessionId, 'Quickly');
    await work();
    const seen = await follow(turnId);
    expect(seen.find((event) => event.type === 'message.joined')).toMatchObject({ afterStep: 0 });
    expect(sent(1)).toContain('Quickly');
    expect(seen.at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'completed' });
  });

  it('is not put between the parts of a reply that paused', async () => {
    const sessionId = await newSession(test);
    const { turnId } = await send(sessionId, '[[tokens=30 gap=20]] [[stop=pause_turn step=1]]', {});
    await work();
    const seen = await follow(turnId, async (events) => {
      const isFirst = events.filter(({ type }) => type === 'text.delta').length === 1;
      if (isFirst && events.at(-1)?.type === 'text.delta') await steer(sessionId, 'And this');
    });
    const delivered = seen.filter((event) => event.type === 'message.joined');
    expect(delivered).toMatchObject([{ text: 'And this', afterStep: 2 }]);
    expect(sent(2)).not.toContain('And this');
    expect(sent(3)).toContain('And this');
  });

  it('is delivered once, by whichever attempt gets so far', async () => {
    const sessionId = await newSession(test);
    const { turnId } = await send(sessionId, '[[tool=look {}]] [[stall=60000 step=2]]', {});
    await work();
    const call = await tool.call(1);
    await steer(sessionId, 'Mind the tests');
    call.finish();
    const seen = await follow(turnId, async (events) => {
      const last = events.at(-1);
      if (last?.type !== 'text.delta') return;
      if (last.attempt === 2) {
        await test.services.canceller.cancel(turnId, 'interrupt');
        return;
      }
      // The worker is taken away in the middle of its reply, and does not get the next message.
      const lapsed = { leaseUntil: new Date(0) };
      await database.db.update(turns).set(lapsed).where(eq(turns.id, turnId));
      const rest = { requestHash: 'hash', idempotencyKey: undefined, now: new Date() };
      await storeSteeredMessage(database.db, { sessionId, text: 'And the docs', ...rest }, 16);
      await work();
    });
    const delivered = seen.filter((event) => event.type === 'message.joined');
    expect(delivered).toMatchObject([
      { text: 'Mind the tests', attempt: 1, afterStep: 1 },
      { text: 'And the docs', attempt: 2, afterStep: 1 },
    ]);
    expect(sent(3).indexOf('Mind the tests')).toBeLessThan(sent(3).indexOf('And the docs'));
    expect(sent(3).split('Mind the tests')).toHaveLength(2);
  });
});
