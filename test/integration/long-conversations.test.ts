import { describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import type { SessionRow } from '../../src/session/session-store.js';
import { compactions } from '../../src/storage/schema.js';
import { Metrics } from '../../src/telemetry/metrics.js';
import { globTool } from '../../src/tools/builtin/glob.js';
import { readTool } from '../../src/tools/builtin/file-tools.js';
import { ConversationCache } from '../../src/turn/state/conversation-cache.js';
import { loadPastTurns, type PastTurn } from '../../src/turn/state/past-turn.js';
import { MemoryTurnQueue } from '../../src/turn/queue/turn-queue.js';
import { useDatabase } from '../support/database/database.js';
import { openTestServices } from '../support/turn/turn-services.js';
import { unlikeModels } from '../support/model/unlike-models.js';
import { readTurn } from '../support/turn/read-turn.js';
import { submit, newSession } from '../support/turn/submit.js';

/** The newest and the oldest for the short form. */
const models =
  process.env['TEST_RELEASE'] === undefined
    ? [unlikeModels.at(0), unlikeModels.at(-1)]
    : unlikeModels;
const look = '[[tool=glob {"pattern":"*"}]]';
const think = '[[think=20]]';

/** Messages of turns 1, 2, …, with their options. */
const script: readonly { message: string; opts?: object }[] = [
  { message: 'Hello.' },
  { message: `Look. ${look}`, opts: { thinking: true } },
  { message: `Think and look. ${think} ${look}`, opts: { thinking: true } },
  { message: `Again. ${think} [[loop=3 tool=glob {"pattern":"$i"}]]`, opts: { thinking: true } },
  { message: `Plan. ${think}`, opts: { thinking: true, mode: 'plan' } },
  { message: `Half a pair: \ud83d. ${think} ${look}`, opts: { thinking: true } },
  { message: '[[empty]]', opts: { thinking: true } },
  { message: 'Refused. [[stop=refusal]]', opts: { thinking: true } },
  { message: `On. ${think} [[surrogate]] ${look}`, opts: { thinking: { effort: 'low' } } },
  { message: `One tool. ${think} ${look}`, opts: { thinking: true, tools: ['read'] } },
  { message: 'No tools.', opts: { thinking: true, tools: [] } },
  { message: `Off. ${look}`, opts: { thinking: false } },
  { message: `A file that is not there. ${think} [[tool=read {"path":"none"}]]` },
  { message: `Cut. ${think} [[stop=max_tokens]] [[tokens=20]]`, opts: { thinking: true } },
  { message: 'Wrong. [[fail=400]]', opts: { thinking: true } },
  { message: `Full. ${think} [[stop=model_context_window_exceeded step=1]]` },
  { message: `Wide. ${look.repeat(30)} ${think}`, opts: { thinking: true } },
  { message: 'Hidden.', opts: { thinking: { display: 'omitted' } } },
  { message: `Crash. ${think} [[loop=3 tool=glob {"pattern":"$i"}]] [[tokens=20 gap=20]]` },
  { message: `The end. ${think} ${look}`, opts: { thinking: true } },
];

/** Keeps what a worker takes of its cache. */
class ObservedCache extends ConversationCache {
  constructor(private readonly taken: (readonly PastTurn[])[]) {
    super({ conversationCacheMb: 64 }, new Metrics());
  }

  override take(session: SessionRow): readonly PastTurn[] | undefined {
    const turns = super.take(session);
    if (turns !== undefined) this.taken.push(turns);
    return turns;
  }
}

describe('a conversation of twenty turns', () => {
  const database = useDatabase();

  it.each(models)('has every request taken by %s', async (model) => {
    const test = await openTestServices(database, [globTool, readTool]);
    const { projectRoot, modelRequests } = test;
    let { services } = test;
    /** What the workers remembered of earlier turns, as they went on with it. */
    const taken: (readonly PastTurn[])[] = [];
    let worker = await test.startWorker({ conversationCache: new ObservedCache(taken) });
    const sessionId = await newSession(test);
    const outcomes: string[] = [];
    let remembered = 0;
    const notices: string[] = [];
    for (const [index, { message, opts }] of script.entries()) {
      const asked = { model, tools: ['glob', 'read'], onDisconnect: 'continue', ...opts };
      const { turnId } = await submit({ services, projectRoot }, message, asked, { sessionId });
      if (message.startsWith('Crash.')) {
        const before = modelRequests.length;
        while (modelRequests.length < before + 2) {
          await new Promise((resolve) => setImmediate(resolve));
        }
        await worker.stop();
        const queue = new MemoryTurnQueue((error) => test.workerErrors.push(error));
        services = await test.beside({ queue });
        const conversationCache = new ObservedCache(taken);
        worker = await test.startWorker({ queue, conversationCache });
        await queue.wake();
      }
      for (const event of await readTurn(services.follower, turnId)) {
        if (event.type === 'turn.ended') outcomes.push(`${index + 1} ${event.outcome}`);
        if (event.type === 'notice.posted') notices.push(event.kind);
      }
      for (const turns of taken.splice(0)) {
        remembered += 1;
        const stored = await loadPastTurns(database.db, sessionId);
        expect(JSON.parse(JSON.stringify(turns))).toEqual(
          JSON.parse(JSON.stringify(stored.slice(0, -1))),
        );
      }
      if (index === 11) {
        const report = await services.conversations.compact(
          sessionId,
          undefined,
          new AbortController().signal,
        );
        expect(report.compacted).toBe(true);
      }
    }
    const ended = (turn: number): string =>
      ({ 8: 'limited', 14: 'limited', 15: 'failed' })[turn] ?? 'completed';
    expect(outcomes).toEqual(script.map((_turn, index) => `${index + 1} ${ended(index + 1)}`));
    // All turns but the first, and those after the three that did not complete and after the crash.
    expect(remembered).toBeGreaterThan(12);
    expect(notices).not.toContain('thinking-dropped');
    // The message that the model declined, and the one that the provider refused.
    expect(notices.filter((kind) => kind === 'turn-left-out')).toHaveLength(2);
    expect(notices.filter((kind) => kind === 'session-change').length).toBeGreaterThan(3);
    expect(modelRequests.length).toBeGreaterThan(30);
    const thoughts = JSON.stringify(modelRequests).split('"type":"thinking"').length - 1;
    expect(thoughts).toBeGreaterThan(10);
    const made = await database.db
      .select()
      .from(compactions)
      .where(eq(compactions.sessionId, sessionId));
    expect(made.length).toBeGreaterThanOrEqual(1);
    await worker.stop();
    await test.close();
  });
});
