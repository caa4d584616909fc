import { beforeEach, describe, expect, it } from '@jest/globals';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import * as fc from 'fast-check';
import { useDatabase } from '../../test/support/database/database.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import { storeTurn } from '../../test/support/turn/store-turn.js';
import { turns } from '../storage/schema.js';
import { updateTurnKind, writeKind } from '../storage/write-kind.js';
import { loadArchive } from './archive.js';
import { logStart, type EventCursor } from './cursor.js';
import { FencedError } from './event-log.js';
import { EventWriter } from './event-writer.js';
import { TurnCommits } from './turn-commits.js';
import { MemoryEventLog } from './memory-event-log.js';
import type { TurnEvent, TurnEventBody } from './turn-event.js';

describe('EventWriter', () => {
  const database = useDatabase();

  const clock = new ManualClock();
  let log: SlowLog;
  let turnId: string;
  let failures: unknown[];
  let writer: EventWriter;
  beforeEach(async () => {
    log = new SlowLog(clock);
    turnId = await storeTurn(database.db);
    failures = [];
    await log.begin(turnId, 1);
    lost = false;
    writer = open(turnId);
  });

  let lost: boolean;
  const open = (id: string): EventWriter =>
    new EventWriter({
      log,
      db: database.db,
      commits: new TurnCommits(database.db),
      clock,
      turnId: id,
      attempt: 1,
      before: logStart,
      commitTimeoutMs: 1_000,
      isLost: () => lost,
      onFailure: (error) => void failures.push(error),
      onLogError: (error) => void failures.push(error),
    });
  const flush = (one = writer): Promise<void> => one.flush(5_000);
  const storeReason = updateTurnKind(turns, ['endReason']);
  const setReason = (endReason: string) => storeReason({ endReason });
  const statement = (text: string) =>
    writeKind(
      { id: turns.id },
      (input) => `${text} where exists (select from ${input})`,
    )({ id: turnId });

  const text = (words: string): TurnEventBody => ({ type: 'text.delta', step: 1, text: words });
  const step: TurnEventBody = { type: 'step.started', step: 1 };
  const texts = (events: readonly TurnEvent[]): string[] =>
    events.map((event) => (event.type === 'text.delta' ? event.text : event.type));

  it('merges deltas that are pending while an append is in flight, and nothing else', async () => {
    log.block();
    writer.emit(text('a'));
    await yieldToEventLoop();
    writer.emit(text('b'));
    writer.emit(text('c'));
    writer.emit(step);
    writer.emit(text('d'));
    log.release();
    await flush();
    expect(texts(await log.read(turnId))).toEqual(['a', 'bc', 'step.started', 'd']);
  });

  it('numbers from 1 without a gap, and stamps attempt and time', async () => {
    writer.emit(text('a'));
    await writer.commit([step], []);
    writer.emit(text('b'));
    await flush();
    const events = await log.read(turnId);
    expect(events.map(({ attempt, seq, at }) => [attempt, seq, at])).toEqual([
      [1, 1, '2026-01-01T00:00:00.000Z'],
      [1, 2, '2026-01-01T00:00:00.000Z'],
      [1, 3, '2026-01-01T00:00:00.000Z'],
    ]);
  });

  it('archives writes with all events emitted before, and shows their events only then', async () => {
    const archivedWhenShown: string[] = [];
    const reads: Promise<unknown>[] = [];
    await log.subscribe(turnId, {
      onEvents: (events) => {
        if (!texts(events).includes('step.started')) return;
        const read = loadArchive(database.db, turnId);
        reads.push(read.then((archived) => archivedWhenShown.push(...texts(archived))));
      },
      onMissed: () => undefined,
    });
    writer.emit(text('a'));
    await writer.commit([step], []);
    await flush();
    await Promise.all(reads);
    expect(archivedWhenShown).toEqual(['a', 'step.started']);
    expect(await loadArchive(database.db, turnId)).toEqual(await log.read(turnId));
  });

  it('commits while the log does not answer, and appends everything when it does', async () => {
    log.block();
    writer.emit(text('a'));
    await yieldToEventLoop();
    await writer.commit([step], [setReason('stored')]);
    const [turn] = await database.db.select().from(turns).where(eq(turns.id, turnId));
    expect(turn?.endReason).toBe('stored');
    expect(await log.read(turnId)).toEqual([]);
    log.release();
    await flush();
    expect(texts(await log.read(turnId))).toEqual(['a', 'step.started']);
  });

  it('appends all events again to a log that lost them', async () => {
    writer.emit(text('a'));
    await writer.commit([step], []);
    await flush();
    // A log in memory is gone with its process.
    await log.close();
    expect(await log.read(turnId)).toEqual([]);
    writer.emit(text('b'));
    await flush();
    expect(texts(await log.read(turnId))).toEqual(['a', 'step.started', 'b']);
  });

  it('stores nothing more once its lease is lost', async () => {
    lost = true;
    await expect(writer.commit([step], [])).rejects.toThrow(FencedError);
    expect(await loadArchive(database.db, turnId)).toEqual([]);
  });

  it('keeps what was emitted before an end that is not stored, as a message came in between', async () => {
    await database.db.update(turns).set({ steeredMessages: 1 }).where(eq(turns.id, turnId));
    log.block();
    writer.emit(text('a'));
    await yieldToEventLoop();
    // The append under way has the first alone.
    writer.emit(text('b'));
    const stored = await writer.commitEnd([step], [setReason('never')], 0);
    expect(stored).toEqual({ type: 'undelivered', steered: 1 });
    await writer.commit([text('c')], []);
    log.release();
    await flush();
    const shown = await log.read(turnId);
    expect(texts(shown)).toEqual(['a', 'b', 'c']);
    expect(shown.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(await loadArchive(database.db, turnId)).toEqual(shown);
  });

  it('keeps the order of commits and of events between them', async () => {
    const first = writer.commit([step], []);
    writer.emit(text('between'));
    const second = writer.commit([{ type: 'step.discarded', step: 1 }], []);
    writer.emit(text('after'));
    await Promise.all([first, second]);
    await writer.commit([], []);
    await flush();
    const order = ['step.started', 'between', 'step.discarded', 'after'];
    expect(texts(await log.read(turnId))).toEqual(order);
    expect(texts(await loadArchive(database.db, turnId))).toEqual(order);
  });

  it('rolls a failing commit back, shows its events to nobody, and closes', async () => {
    const broken = statement(`update nowhere set status = 'x'`);
    const failing = writer.commit([step], [setReason('never'), broken]);
    const next = writer.commit([step], []);
    await expect(failing).rejects.toThrow();
    await expect(next).rejects.toThrow();
    expect(failures).toHaveLength(1);
    expect(await log.read(turnId)).toEqual([]);
    expect(await loadArchive(database.db, turnId)).toEqual([]);
    const [turn] = await database.db.select().from(turns).where(eq(turns.id, turnId));
    expect(turn?.endReason).toBeNull();
    writer.emit(text('late'));
    await expect(writer.commit([step], [])).rejects.toThrow();
    expect(await log.read(turnId)).toEqual([]);
  });

  it('writes again after a statement that the database refuses for good, without a gap', async () => {
    writer.emit(text('a'));
    await writer.commit([step], []);
    const refused = statement(`update turns set attempt = 'x'::text::integer`);
    await expect(writer.commit([text('lost')], [refused])).rejects.toThrow();
    await expect(writer.commit([text('lost too')], [])).rejects.toThrow();
    writer.emit(text('lost as well'));
    writer.reopen();
    await writer.commit([text('b')], [setReason('done')]);
    await flush();
    expect(failures).toEqual([]);
    const shown = await log.read(turnId);
    expect(texts(shown)).toEqual(['a', 'step.started', 'b']);
    expect(shown.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  it('stores nothing for an attempt that no longer owns the turn', async () => {
    await database.db.update(turns).set({ attempt: 2 }).where(eq(turns.id, turnId));
    const stored = writer.commit([step], [setReason('zombie')]);
    await expect(stored).rejects.toThrow(FencedError);
    expect(await loadArchive(database.db, turnId)).toEqual([]);
    const [turn] = await database.db.select().from(turns).where(eq(turns.id, turnId));
    expect(turn?.endReason).toBeNull();
    expect(failures).toHaveLength(1);
  });

  it('archives what it showed, in order and whole, however its calls fall', async () => {
    const anyCall = fc.constantFrom('emit', 'commit', 'block', 'release', 'wait');
    await fc.assert(
      fc.asyncProperty(fc.array(anyCall, { maxLength: 25 }), async (calls) => {
        const id = await storeTurn(database.db);
        const one = open(id);
        const emitted: string[] = [];
        const commits: Promise<void>[] = [];
        for (const [index, call] of calls.entries()) {
          if (call === 'block') log.block();
          if (call === 'release') log.release();
          if (call === 'wait') await yieldToEventLoop();
          if (call !== 'emit' && call !== 'commit') continue;
          const words = `<${index}>`;
          emitted.push(words);
          if (call === 'emit') one.emit(text(words));
          else commits.push(one.commit([text(words)], []));
        }
        log.release();
        await Promise.all([...commits, one.commit([text('.')], [])]);
        emitted.push('.');
        await flush(one);
        const shown = await log.read(id);
        expect(texts(shown).join('')).toBe(emitted.join(''));
        expect(shown.map((event) => event.seq)).toEqual(shown.map((_, i) => i + 1));
        expect(await loadArchive(database.db, id)).toEqual(shown);
        expect(failures).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  it('reports once that it was fenced off', async () => {
    await log.begin(turnId, 2);
    writer.emit(text('a'));
    await yieldToEventLoop();
    expect(failures).toHaveLength(1);
    expect(failures[0]).toBeInstanceOf(FencedError);
    writer.emit(text('b'));
    await expect(writer.commit([step], [])).rejects.toThrow(FencedError);
    expect(failures).toHaveLength(1);
  });
});

/** A log whose appends wait from `block` to `release`. */
class SlowLog extends MemoryEventLog {
  #release = (): void => undefined;
  #blocked: Promise<void> = Promise.resolve();

  block(): void {
    this.#release();
    this.#blocked = new Promise((resolve) => (this.#release = resolve));
  }

  release(): void {
    this.#release();
  }

  override async append(
    turnId: string,
    attempt: number,
    events: readonly TurnEvent[],
    before?: EventCursor,
  ): Promise<void> {
    await this.#blocked;
    await super.append(turnId, attempt, events, before);
  }
}
