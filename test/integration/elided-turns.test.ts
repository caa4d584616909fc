import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import type { RehearsalRequest } from '../../rehearsal/request-types.js';
import { sessions, turns } from '../../src/storage/schema.js';
import { MemoryTurnQueue } from '../../src/turn/queue/turn-queue.js';
import { bothDatabases } from '../support/database/both-databases.js';
import { useDatabase } from '../support/database/database.js';
import { ManualClock } from '../support/manual-clock.js';
import { HeldTool } from '../support/turn/held-tool.js';
import { readTurn } from '../support/turn/read-turn.js';
import { newSession, submit } from '../support/turn/submit.js';
import { openTestServices, type TestServices } from '../support/turn/turn-services.js';

/** A share of the window that two questions fill. */
const FULL_PERCENT = 3;
const filler = 'word '.repeat(5_000);
const output = `The whole output. ${'line '.repeat(200)}`;

describe.each(bothDatabases)(
  'a worker that lost its turn before it cut outputs, on %s',
  (_name, open) => {
    const database = useDatabase(open);

    let test: TestServices;
    let hold: HeldTool;
    beforeEach(async () => {
      await database.db.delete(turns);
      hold = new HeldTool('hold', { effect: 'read', retry: 'safe' });
      const look = new HeldTool('look', { effect: 'read', retry: 'safe' }).definition;
      const shown = { ...look, open: () => ({ run: () => Promise.resolve(output) }) };
      const clock = new ManualClock();
      test = await openTestServices(database, [hold.definition, shown], { clock });
    });
    afterEach(async () => {
      hold.finishAll();
      await test.close();
    });

    /** Starts a worker with a queue of its own, as on a host of its own. */
    async function newWorker() {
      const queue = new MemoryTurnQueue((error) => test.workerErrors.push(error));
      return { queue, worker: await test.startWorker({ queue }) };
    }

    /** Holds the next call for a summary, which then fails. */
    function holdSummary() {
      const { provider } = test.services;
      const stream = provider.stream.bind(provider);
      let fail = (): void => undefined;
      const failure = new Promise<never>((_resolve, reject) => {
        fail = () => reject(new Error('overloaded'));
      });
      const asked = new Promise<void>((resolve) => {
        provider.stream = (request, signal) => {
          const isSummary = JSON.stringify(request.messages.at(-1)).includes('Summarise the');
          if (!isSummary) return stream(request, signal);
          resolve();
          return { read: () => failure };
        };
      });
      return { asked, fail };
    }

    const elided = async (): Promise<number[]> => {
      const rows = await database.db
        .select({ through: turns.elidedThrough })
        .from(turns)
        .orderBy(turns.createdAt);
      return rows.map(({ through }) => through);
    };

    it('leaves them as its successor sent them', async () => {
      const sessionId = await newSession(test);
      const say = async (message: string): Promise<string> => {
        const opts = { model: 'claude-haiku-4-5', tools: ['look', 'hold'] };
        const more = { sessionId };
        const { turnId } = await submit(test, message, { ...opts, onDisconnect: 'continue' }, more);
        return turnId;
      };
      const endOf = async (turnId: string) =>
        (await readTurn(test.services.follower, turnId)).at(-1);
      const first = await newWorker();
      for (const message of [`One: ${filler} [[tool=look {}]]`, `Two: ${filler}`]) {
        const turnId = await say(message);
        await first.queue.wake();
        expect(await endOf(turnId)).toMatchObject({ outcome: 'completed' });
      }

      test.config.compactPercent = FULL_PERCENT;
      const summary = holdSummary();
      const turnId = await say('Three. [[tool=hold {}]]');
      await first.queue.wake();
      await summary.asked;
      // The lease ends, as a long pause ends it: the worker does not know yet.
      await database.db
        .update(turns)
        .set({ leaseUntil: new Date(0) })
        .where(eq(turns.id, turnId));
      // The successor sends the conversation whole.
      test.config.compactPercent = 90;
      const second = await newWorker();
      await second.queue.wake();
      const call = await hold.call(1);
      summary.fail();
      await test.drain([first.worker]);
      expect(await elided()).toEqual([0, 0, 0]);
      call.finish();
      expect(await endOf(turnId)).toMatchObject({ outcome: 'completed', attempt: 2 });
      const sent = test.modelRequests.at(-1);
      expect(JSON.stringify(sent?.body.messages)).toContain(output.trim());

      // A worker that does not remember the conversation sends the same.
      await database.db.update(sessions).set({ headTurnId: null });
      const next = await say('Four.');
      await second.queue.wake();
      expect(await endOf(next)).toMatchObject({ outcome: 'completed' });
      expect(messagesOf(test.modelRequests.at(-1)).slice(0, messagesOf(sent).length)).toEqual(
        messagesOf(sent),
      );
      expect(test.workerErrors).toEqual([]);
    });
  },
);

/** The messages of a request, each without its mark for the provider's cache. */
function messagesOf(request: RehearsalRequest | undefined): unknown[] {
  const text = JSON.stringify(request?.body.messages ?? []);
  return JSON.parse(text, (key, value: unknown) =>
    key === 'cache_control' ? undefined : value,
  ) as unknown[];
}
