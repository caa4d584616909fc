import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import * as fc from 'fast-check';
import { openTestDatabase } from '../../test/support/database.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import { storeTurn } from '../../test/support/store-turn.js';
import type { OpenedDatabase, Queryable } from '../storage/connection.js';
import { turns } from '../storage/schema.js';
import { readArchive } from './archive.js';
import { FencedError } from './event-log.js';
import { EventWriter } from './event-writer.js';
import { MemoryEventLog } from './memory-event-log.js';
import type { TurnEvent, TurnEventBody } from './turn-event.js';

describe('EventWriter', () => {
  let database: OpenedDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

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
    const onFailure = (error: unknown): void => void failures.push(error);
    writer = new EventWriter({ log, db: database.db, clock, turnId, attempt: 1, onFailure });
  });

  const text = (words: string): TurnEventBody => ({ type: 'text.delta', step: 1, text: words });
  const fact: TurnEventBody = { type: 'step.started', step: 1 };
  const texts = (events: readonly TurnEvent[]): string[] =>
    events.map((event) => (event.type === 'text.delta' ? event.text : event.type));
  const nothing = async (): Promise<void> => undefined;

  it('merges what waits while an append is in flight, and nothing else', async () => {
    log.hold();
    writer.emit(text('a'));
    await nextTurn();
    writer.emit(text('b'));
    writer.emit(text('c'));
    writer.emit(fact);
    writer.emit(text('d'));
    log.release();
    await writer.commit([], nothing);
    expect(texts(await log.read(turnId))).toEqual(['a', 'bc', 'step.started', 'd']);
  });

  it('numbers from 1 without a gap, and stamps attempt and time', async () => {
    writer.emit(text('a'));
    await writer.commit([fact], nothing);
    writer.emit(text('b'));
    await writer.commit([], nothing);
    const events = await log.read(turnId);
    expect(events.map(({ attempt, seq, at }) => [attempt, seq, at])).toEqual([
      [1, 1, '2026-01-01T00:00:00.000Z'],
      [1, 2, '2026-01-01T00:00:00.000Z'],
      [1, 3, '2026-01-01T00:00:00.000Z'],
    ]);
  });

  it('archives a fact with everything said before it, and shows it only then', async () => {
    writer.emit(text('a'));
    let visible: readonly TurnEvent[] = [];
    await writer.commit([fact], async () => {
      visible = await log.read(turnId);
    });
    expect(texts(visible)).not.toContain('step.started');
    expect(await readArchive(database.db, turnId)).toEqual(await log.read(turnId));
  });

  it('keeps the order of commits and of what is said between them', async () => {
    const first = writer.commit([fact], nothing);
    writer.emit(text('between'));
    const second = writer.commit([{ type: 'step.discarded', step: 1 }], nothing);
    writer.emit(text('after'));
    await Promise.all([first, second]);
    await writer.commit([], nothing);
    const order = ['step.started', 'between', 'step.discarded', 'after'];
    expect(texts(await log.read(turnId))).toEqual(order);
    expect(texts(await readArchive(database.db, turnId))).toEqual(order);
  });

  it('rolls a failing fact back, shows it to nobody, and closes', async () => {
    const broken = new Error('no');
    const failing = writer.commit([fact], async (tx) => {
      await tx.update(turns).set({ endReason: 'never' });
      throw broken;
    });
    await expect(failing).rejects.toThrow('no');
    expect(failures).toEqual([broken]);
    expect(await log.read(turnId)).toEqual([]);
    expect(await readArchive(database.db, turnId)).toEqual([]);
    const [turn] = await database.db.select({ reason: turns.endReason }).from(turns);
    expect(turn?.reason).toBeNull();
    writer.emit(text('late'));
    await expect(writer.commit([fact], nothing)).rejects.toThrow('no');
    expect(await log.read(turnId)).toEqual([]);
  });

  it('rejects every commit that waits behind a failing one', async () => {
    const failing = writer.commit([fact], async () => {
      throw new Error('no');
    });
    const waiting = writer.commit([fact], nothing);
    await expect(failing).rejects.toThrow('no');
    await expect(waiting).rejects.toThrow('no');
  });

  it('tells what the log threw once the fact was stored, and closes', async () => {
    await log.begin(turnId, 2);
    const store = async (tx: Queryable): Promise<void> => {
      await tx.update(turns).set({ endReason: 'stored' }).where(eq(turns.id, turnId));
    };
    await expect(writer.commit([fact], store)).rejects.toThrow(FencedError);
    expect(texts(await readArchive(database.db, turnId))).toEqual(['step.started']);
    await expect(writer.commit([fact], store)).rejects.toThrow(FencedError);
    expect(failures).toHaveLength(1);
  });

  it('archives what it showed, in order and whole, however its calls fall', async () => {
    const anyCall = fc.constantFrom('emit', 'commit', 'hold', 'release', 'wait');
    await fc.assert(
      fc.asyncProperty(fc.array(anyCall, { maxLength: 25 }), async (calls) => {
        const id = await storeTurn(database.db);
        const onFailure = (error: unknown): void => void failures.push(error);
        const deps = { log, db: database.db, clock, turnId: id, attempt: 1, onFailure };
        const one = new EventWriter(deps);
        const said: string[] = [];
        const commits: Promise<void>[] = [];
        for (const [index, call] of calls.entries()) {
          if (call === 'hold') log.hold();
          if (call === 'release') log.release();
          if (call === 'wait') await nextTurn();
          if (call !== 'emit' && call !== 'commit') continue;
          const words = `<${index}>`;
          said.push(words);
          if (call === 'emit') one.emit(text(words));
          else commits.push(one.commit([text(words)], nothing));
        }
        log.release();
        await Promise.all([...commits, one.commit([], nothing)]);
        const shown = await log.read(id);
        expect(texts(shown).join('')).toBe(said.join(''));
        expect(shown.map((event) => event.seq)).toEqual(shown.map((_, i) => i + 1));
        expect(await readArchive(database.db, id)).toEqual(shown);
        expect(failures).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  it('tells once that it was fenced off', async () => {
    await log.begin(turnId, 2);
    writer.emit(text('a'));
    await nextTurn();
    expect(failures).toHaveLength(1);
    expect(failures[0]).toBeInstanceOf(FencedError);
    writer.emit(text('b'));
    await expect(writer.commit([fact], nothing)).rejects.toThrow(FencedError);
    expect(failures).toHaveLength(1);
  });
});

/** A log whose appends wait while it is held. */
class SlowLog extends MemoryEventLog {
  #release = (): void => undefined;
  #held: Promise<void> = Promise.resolve();

  hold(): void {
    this.#release();
    this.#held = new Promise((resolve) => (this.#release = resolve));
  }

  release(): void {
    this.#release();
  }

  override async append(
    turnId: string,
    attempt: number,
    events: readonly TurnEvent[],
  ): Promise<void> {
    await this.#held;
    await super.append(turnId, attempt, events);
  }
}
