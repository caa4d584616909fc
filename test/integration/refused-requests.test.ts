import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import path from 'node:path';
import sharp from 'sharp';
import type { TurnEvent } from '../../src/events/turn-event.js';
import type { AgentState } from '../../src/governance/decision-tree/agent-state.js';
import { costOf } from '../../src/governance/limits/cost.js';
import { DefaultDecisionTree } from '../../src/governance/decision-tree/decision-trees.js';
import { compactions, sessions, turns } from '../../src/storage/schema.js';
import { messages, steps } from '../../src/storage/transcript-schema.js';
import { globTool } from '../../src/tools/builtin/glob.js';
import { readTool } from '../../src/tools/builtin/file-tools.js';
import { viewMessages } from '../../src/turn/history/view-messages.js';
import { loadSessionTurns } from '../../src/turn/state/load-turns.js';
import type { TurnWorker } from '../../src/turn/worker/turn-worker.js';
import { useDatabase } from '../support/database/database.js';
import { instructionRootWith } from '../support/agents/instruction-root.js';
import { openTestServices, type TestServices } from '../support/turn/turn-services.js';
import { readTurn } from '../support/turn/read-turn.js';
import { submit, newSession } from '../support/turn/submit.js';

describe('a refused request ends no session', () => {
  let test: TestServices;
  let sessionId: string;
  let worker: TurnWorker;
  const database = useDatabase();
  beforeEach(async () => {
    await database.db.delete(turns);
    test = await openTestServices(database, [readTool, globTool]);
    worker = await test.startWorker();
    sessionId = await newSession(test);
  });
  afterEach(async () => {
    await worker.stop();
    await test.close();
  });

  async function turn(
    message: string,
    opts: object = {},
    attachments: string[] = [],
  ): Promise<TurnEvent[]> {
    const { services } = test;
    const more = { sessionId, attachments };
    const { turnId } = await submit(test, message, { tools: [], ...opts }, more);
    return readTurn(services.follower, turnId);
  }

  async function picture(name: string): Promise<string> {
    const file = path.join(test.projectRoot, name);
    const create = { width: 8, height: 8, channels: 3 as const, background: name };
    await sharp({ create }).png().toFile(`${file}.png`);
    return `${file}.png`;
  }

  /** Makes a stored file one that the provider refuses: its bytes are of another type. */
  async function spoil(name: string): Promise<void> {
    const rows = await database.db.select().from(messages);
    for (const { id, parts } of rows) {
      const spoilt = parts.map((part) =>
        part.type === 'file' && part.file.name === name
          ? { ...part, file: { ...part.file, mimeType: 'image/jpeg', changed: 'spoilt' } }
          : part,
      );
      await database.db.update(messages).set({ parts: spoilt }).where(eq(messages.id, id));
    }
    await forgetConversations();
  }

  /** What changes earlier turns says so: workers load them again. */
  async function forgetConversations(): Promise<void> {
    await database.db.update(sessions).set({ headTurnId: null });
  }

  const endOf = (events: readonly TurnEvent[]) =>
    events.flatMap((event) => (event.type === 'turn.ended' ? [event.outcome] : []));
  const noticesOf = (events: readonly TurnEvent[]): string[] =>
    events.flatMap((event) => (event.type === 'notice.posted' ? [event.kind] : []));
  /** The user's words in the last upstream request. */
  const lastAsked = (): string =>
    JSON.stringify(
      test.modelRequests.at(-1)?.body.messages.filter(({ role }) => role === 'user') ?? [],
    );

  it('is none of a provider that has begun to reply: nothing is asked, or said, twice', async () => {
    const events = await turn('[[tokens=8]] [[fail=400 after=4]]', {}, [await picture('red')]);
    const text = events.flatMap((event) => (event.type === 'text.delta' ? [event.text] : []));
    expect(endOf(events)).toEqual(['failed']);
    expect(text.join('').match(/word1/g)).toHaveLength(1);
    expect(noticesOf(events)).not.toContain('part-left-out');
  });

  it('leaves the refused turn out of what is sent from then on, and says so', async () => {
    expect(endOf(await turn('First.'))).toEqual(['completed']);
    const refused = await turn('Poison. [[fail=400]]');
    expect(endOf(refused)).toEqual(['failed']);
    expect(noticesOf(refused)).toContain('turn-left-out');
    expect(endOf(await turn('Third.'))).toEqual(['completed']);
    expect(lastAsked()).toContain('First.');
    expect(lastAsked()).toContain('Third.');
    expect(lastAsked()).not.toContain('Poison.');
  });

  it.each([
    ['400 twice', ['400', '400']],
    ['400 three times', ['400', '400', '400']],
    ['413 twice', ['413', '413']],
    ['422 twice', ['422', '422']],
    ['kinds in turn', ['400', '413', 'prompt_too_long', '400']],
    ['too long, twice', ['prompt_too_long', 'prompt_too_long']],
    ['bound elsewhere, twice', ['bound', 'bound']],
  ])('keeps the turns before, where what follows is refused: %s', async (_name, failures) => {
    await turn('First.');
    await turn('Second.');
    for (const failure of failures) {
      const refused = await turn(`Poison. [[fail=${failure}]]`);
      expect(endOf(refused)).toEqual(['failed']);
      const text = JSON.stringify(refused.filter(({ type }) => type === 'notice.posted'));
      expect(text).toContain('Nothing else is left out.');
    }
    expect(endOf(await turn('Last.'))).toEqual(['completed']);
    const asked = test.modelRequests.at(-1)?.body.messages.filter(({ role }) => role === 'user');
    expect(asked).toHaveLength(3);
    for (const text of ['First.', 'Second.', 'Last.']) expect(lastAsked()).toContain(text);
  });

  it('takes a message back, if another one is refused just the same without it', async () => {
    await turn('First.');
    await turn('Not the cause. [[fail=400]]');
    const next = await turn('Another. [[fail=400]]');
    expect(JSON.stringify(next)).toContain('later requests have it again');
    await turn('Last.');
    expect(lastAsked()).toContain('Not the cause.');
    expect(lastAsked()).not.toContain('Another.');
    // A retry of the same words proves nothing.
    await turn('Same. [[fail=422]]');
    await turn('Same. [[fail=422]]');
    await turn('And now?');
    expect(lastAsked()).not.toContain('Same.');
  });

  it('does not send a message again that the model declined', async () => {
    await turn('First.');
    const declined = await turn('Forbidden. [[stop=refusal]]');
    expect(noticesOf(declined)).toContain('turn-left-out');
    await turn('Last.');
    expect(lastAsked()).not.toContain('Forbidden.');
    expect(lastAsked()).toContain('First.');
  });

  it('leaves out of an earlier message the one file that the provider names, for good', async () => {
    await turn('First.', {}, [await picture('red'), await picture('green'), await picture('blue')]);
    await spoil('green.png');
    await spoil('blue.png');
    const second = await turn('Second.');
    expect(endOf(second)).toEqual(['completed']);
    expect(noticesOf(second)).toEqual(['part-left-out', 'part-left-out']);
    const last = test.modelRequests.at(-1)?.body.messages[0]?.content;
    expect(JSON.stringify(last).match(/"type":"image"/g)).toHaveLength(1);
    expect(JSON.stringify(last)).toContain('is left out: the provider refused it');
    expect(noticesOf(await turn('Third.'))).toEqual([]);
    const stored = await loadSessionTurns(database.db, sessionId);
    const [session] = await database.db.select().from(sessions).where(eq(sessions.id, sessionId));
    const shown = viewMessages(stored, session?.prefix?.leftOut);
    expect(shown[0]?.parts.map((part) => 'leftOut' in part)).toEqual([false, false, true, true]);
    expect(shown[0]?.leftOut).toBeUndefined();
  });

  it('takes a file back that was not the cause, and leaves the message out', async () => {
    const refused = await turn('With a file. [[fail=400]]', {}, [await picture('red')]);
    expect(endOf(refused)).toEqual(['failed']);
    expect(noticesOf(refused)).toEqual(['part-left-out', 'part-taken-back', 'turn-left-out']);
    await turn('Last.');
    expect(lastAsked()).not.toContain('With a file.');
    const [session] = await database.db.select().from(sessions).where(eq(sessions.id, sessionId));
    expect(session?.prefix?.leftOut ?? []).toEqual([]);
  });

  it('leaves nothing out that failed for another reason', async () => {
    const failed = await turn('Busy. [[fail=500]]');
    expect(noticesOf(failed)).not.toContain('turn-left-out');
    await turn('Second.');
    expect(lastAsked()).toContain('Busy.');
  });

  it('sends a question once that was asked three times', async () => {
    // The question stays the same; `fail` in its request makes the model refuse each try.
    for (const _try of [1, 2]) await turn('Why? [[fail=500]]');
    await turn('Why? [[fail=500]]');
    await turn('And now?');
    expect(lastAsked().match(/Why\?/g)).toHaveLength(1);
  });

  it('keeps system prompt and tools as they were sent, and tells of what changed', async () => {
    const tools = ['read', 'glob'];
    await turn('One.', { tools });
    await turn('Two.', { tools: ['read'], mode: 'plan' });
    await turn('Three.', { tools: [] });
    await turn('Four.', { tools });
    const bodies = test.modelRequests.map(({ body }) => body);
    const begin = (index: number): string =>
      JSON.stringify([bodies[index]?.system, bodies[index]?.tools]);
    for (const index of [1, 2, 3]) expect(begin(index)).toBe(begin(0));
    const messages = JSON.stringify(bodies[3]?.messages);
    expect(messages).toContain('The permission mode is plan from here on.');
    expect(messages).toContain('not run: glob.');
    expect(messages).toContain('Every tool is on from here on.');
    expect(bodies.map((body) => body['tool_choice'])).toEqual([
      undefined,
      undefined,
      { type: 'none' },
      undefined,
    ]);
  });

  it('goes on after a reply that filled the window, with the conversation summarised', async () => {
    await turn('A long story. [[tokens=30]]');
    const cut = await turn('Go on. [[stop=model_context_window_exceeded step=1]]');
    expect(endOf(cut)).toEqual(['completed']);
    expect(noticesOf(cut)).toContain('window-full');
    const ran = await database.db
      .select({ stopReason: steps.stopReason })
      .from(steps)
      .innerJoin(turns, eq(turns.id, steps.turnId))
      .orderBy(turns.createdAt, steps.step);
    expect(ran.map(({ stopReason }) => stopReason)).toEqual([
      'end_turn',
      'context_window',
      'end_turn',
    ]);
    const [session] = await database.db.select().from(sessions).where(eq(sessions.id, sessionId));
    expect(session?.prefix?.tools).toEqual([]);
  });

  it('goes on without the thinking that the provider does not take back, and remembers', async () => {
    const thinking = { model: 'claude-sonnet-5-5', thinking: true };
    await turn('One. [[think=5]]', thinking);
    await turn('Two. [[think=5]]', thinking);
    // Steps get each other's thinking: nothing before them in the history shows it.
    const stored = await database.db.select().from(steps).orderBy(steps.startedAt);
    const [first, second] = stored;
    if (first === undefined || second === undefined) throw new Error('Two steps are stored');
    for (const [step, other] of [[first, second] as const, [second, first] as const]) {
      const parts = [...other.parts.slice(0, 1), ...step.parts.slice(1)];
      await database.db.update(steps).set({ parts }).where(eq(steps.turnId, step.turnId));
    }
    await forgetConversations();
    const third = await turn('Three. [[think=5]]', thinking);
    expect(endOf(third)).toEqual(['completed']);
    expect(noticesOf(third)).toContain('thinking-dropped');
    const fourth = await turn('Four.', thinking);
    expect(noticesOf(fourth)).not.toContain('thinking-dropped');
    const sent = JSON.stringify(test.modelRequests.at(-1)?.body.messages);
    expect(sent.match(/"type":"thinking"/g)).toHaveLength(1);
  });

  it('summarises what is too long for one call, and asks once more', async () => {
    const small = { model: 'claude-haiku-4-5' };
    Object.assign(test.config, { maxMessageChars: 400_000, compactPercent: 1_000 });
    const long = '\u6f22\u5b57'.repeat(60_000);
    expect(endOf(await turn(`First: ${long}`, small))).toEqual(['completed']);
    const second = await turn(`Second: ${long}`, small);
    expect(endOf(second)).toEqual(['completed']);
    expect(noticesOf(second)).toContain('window-full');
    expect(lastAsked()).toContain('What came before in this conversation, in short:');
    expect(lastAsked()).not.toContain('First: ');
  });

  it('leaves a message out that is longer than the window, and the session goes on', async () => {
    const small = { model: 'claude-haiku-4-5' };
    Object.assign(test.config, { maxMessageChars: 400_000 });
    await turn('Before.', small);
    const tooLong = await turn(`Too long: ${'\u6f22\u5b57'.repeat(150_000)}`, {
      ...small,
      agentConfig: { token_budget: 500_000 },
    });
    expect(endOf(tooLong)).toEqual(['failed']);
    expect(noticesOf(tooLong)).toContain('turn-left-out');
    const after = await turn('After.', small);
    expect(endOf(after)).toEqual(['completed']);
    expect(lastAsked()).not.toContain('Too long');
  });

  it('counts what the summary cost toward the limits of the turn that needed it', async () => {
    let usedUsd: number | undefined;
    class Watching extends DefaultDecisionTree {
      override shouldContinue(state: AgentState) {
        usedUsd = state.cost?.usedUsd;
        return super.shouldContinue(state);
      }
    }
    const { trees } = test.services;
    trees.register('watching', (config) => new Watching(config));
    await test.useInstructions(instructionRootWith({ WORKING_ITEMS: ['decision_tree: watching'] }));
    await turn('A long story. [[tokens=30]]');
    const cut = await turn('Go on. [[stop=model_context_window_exceeded step=1]]', {
      maxCostUsd: 100,
    });
    expect(noticesOf(cut)).toContain('window-full');
    const spent = cut.flatMap((event) =>
      event.type === 'step.ended' ? [event.usage.costUsd ?? 0] : [],
    );
    const [summary] = await database.db
      .select()
      .from(compactions)
      .where(eq(compactions.sessionId, sessionId));
    const price = test.services.models.describe('claude-sonnet-5-5').price;
    if (summary === undefined || price === undefined) throw new Error('Nothing was summarised');
    const sum = spent.reduce((all, usd) => all + usd, costOf(summary.usage, price));
    expect(usedUsd).toBeCloseTo(sum, 9);
  });
});
