import { beforeEach, describe, expect, it } from '@jest/globals';
import { bothDatabases } from '../../../test/support/database/both-databases.js';
import { expectSoon } from '../../../test/support/expect-soon.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import type { LogFields } from '../../platform/logger.js';
import { CatalogueKeeper } from './catalogue-keeper.js';
import { ModelCatalogue, type ModelDescription } from '../model-catalogue.js';
import { ModelStore } from './model-store.js';
import { useDatabase } from '../../../test/support/database/database.js';

const HOUR_MS = 3_600_000;

describe.each(bothDatabases)('CatalogueKeeper on %s', (_name, open) => {
  const database = useDatabase(open);

  let clock: ManualClock;
  let source: string;
  let asked: number;
  /** The provider's next answer. */
  let list: () => Promise<ModelDescription[] | undefined>;
  let logged: { message: string; fields: LogFields }[];
  let sources = 0;
  beforeEach(() => {
    clock = new ManualClock();
    source = `https://provider-${(sources += 1)}.example`;
    asked = 0;
    logged = [];
    list = () => Promise.resolve([described(1)]);
  });

  const described = (maxOutput: number): ModelDescription => ({
    id: 'claude-new-6',
    maxOutput,
    isListed: true,
  });

  const process = (staleAfterMs?: number, configuredModel?: string) => {
    const catalogue = new ModelCatalogue();
    const say = (fields: LogFields, message: string) => void logged.push({ fields, message });
    const keeper = new CatalogueKeeper({
      catalogue,
      store: new ModelStore(database.db, source),
      provider: {
        listModels: () => {
          asked += 1;
          return list();
        },
      },
      clock,
      logger: { info: () => undefined, warn: say },
      configuredModel,
      ...(staleAfterMs === undefined ? {} : { staleAfterMs }),
    });
    return { keeper, maxOutput: () => catalogue.find('claude-new-6')?.maxOutput };
  };

  it('asks in one process, and shares the list with all', async () => {
    const [first, second] = [process(), process()];
    await Promise.all([first.keeper.start(), second.keeper.start()]);
    await expectSoon(() => expect([first.maxOutput(), second.maxOutput()]).toContain(1));
    await clock.advance(600_000);
    await expectSoon(() => expect([first.maxOutput(), second.maxOutput()]).toEqual([1, 1]));
    expect(asked).toBe(1);
    await first.keeper.close();
    await second.keeper.close();
  });

  it('starts with the stored list, and does not ask again within a day', async () => {
    const first = process();
    await first.keeper.start();
    await expectSoon(() => expect(first.maxOutput()).toBe(1));
    await first.keeper.close();
    const second = process();
    await second.keeper.start();
    expect(second.maxOutput()).toBe(1);
    await second.keeper.close();
    expect(asked).toBe(1);
  });

  it('asks again after a day, and drops models that are no longer listed', async () => {
    const { keeper, maxOutput } = process();
    await keeper.start();
    await expectSoon(() => expect(maxOutput()).toBe(1));
    list = () => Promise.resolve([{ id: 'claude-other', isListed: true }]);
    for (let round = 0; round < 24 * 6 + 1; round += 1) await advanceRound();
    await expectSoon(() => expect(asked).toBe(2));
    await expectSoon(() => expect(maxOutput()).toBeUndefined());
    await keeper.close();
    expect(await new ModelStore(database.db, source).load()).toEqual([
      { id: 'claude-other', isListed: true },
    ]);
  });

  /** Time goes on once a round is done: it takes as long as the database takes. */
  const advanceRound = async () => {
    await expectSoon(() => expect(clock.pending).toBeGreaterThan(0));
    await clock.advance(600_000);
  };

  it('starts whatever the provider does, logs a fault once, and tries again in an hour', async () => {
    list = () => Promise.reject(new Error('connection refused'));
    const { keeper, maxOutput } = process();
    await keeper.start();
    await expectSoon(() => expect(logged).toHaveLength(1));
    expect(logged[0]?.fields).toEqual({ reason: 'connection refused' });
    for (let ms = 0; ms <= 2 * HOUR_MS; ms += 600_000) await advanceRound();
    await expectSoon(() => expect(asked).toBeGreaterThan(1));
    expect(asked).toBeLessThanOrEqual(3);
    expect(logged).toHaveLength(1);
    list = () => Promise.resolve([described(2)]);
    for (let ms = 0; ms <= HOUR_MS; ms += 600_000) await advanceRound();
    await expectSoon(() => expect(maxOutput()).toBe(2));
    await keeper.close();
  });

  it.each([
    ['claude-sonnet-5-5', []],
    [
      'gpt-4',
      [expect.stringMatching(/^TURNPIKE_MODEL names a model that the provider does not list; /)],
    ],
    [
      'claude-sonnet-4-20250514',
      ['TURNPIKE_MODEL names a retired model; turns that use it are refused. Choose another one'],
    ],
    [
      'claude-sonnet-4-5',
      ['TURNPIKE_MODEL names a deprecated model; choose another one before it is retired'],
    ],
  ])('says once, at the start, what is the matter with %s', async (model, warnings) => {
    const { keeper } = process(undefined, model);
    await keeper.start();
    await expectSoon(() => expect(asked).toBe(1));
    await keeper.close();
    expect(logged.map(({ message }) => message)).toEqual(warnings);
  });

  it('starts with a provider that never answers, and closes at once', async () => {
    let signal: AbortSignal | undefined;
    const keeper = new CatalogueKeeper({
      catalogue: new ModelCatalogue(),
      store: new ModelStore(database.db, source),
      provider: {
        listModels: (given) => {
          signal = given;
          return new Promise((_resolve, reject) => {
            given.addEventListener('abort', () => reject(given.reason as Error));
          });
        },
      },
      clock,
      logger: {
        info: () => undefined,
        warn: (_fields, message) => void logged.push({ message, fields: {} }),
      },
    });
    await keeper.start();
    await expectSoon(() => expect(signal).toBeDefined());
    await keeper.close();
    expect(signal?.aborted).toBe(true);
    expect(logged).toEqual([]);
  });

  it('logs that a provider has no list, and does not ask it again within a day', async () => {
    list = () => Promise.resolve(undefined);
    const { keeper } = process();
    await keeper.start();
    await expectSoon(() => expect(logged).toHaveLength(1));
    for (let ms = 0; ms <= 2 * HOUR_MS; ms += 600_000) await advanceRound();
    await keeper.close();
    expect([asked, logged.length]).toEqual([1, 1]);
  });

  it('keeps the descriptions of providers apart', async () => {
    const first = process();
    await first.keeper.start();
    await expectSoon(() => expect(first.maxOutput()).toBe(1));
    await first.keeper.close();
    source = 'https://elsewhere.example';
    list = () => Promise.resolve(undefined);
    const second = process();
    await second.keeper.start();
    expect(second.maxOutput()).toBeUndefined();
    await expectSoon(() => expect(asked).toBe(2));
    await second.keeper.close();
  });
});
