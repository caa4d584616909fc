import { beforeEach, describe, expect, it } from '@jest/globals';
import { useDatabase } from '../../test/support/database/database.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import { ModelCatalogue } from './model-catalogue.js';
import { ModelResolver, type DescribedOrNot } from './model-resolver.js';
import { ModelStore } from './models/model-store.js';

const standard = 'claude-sonnet-5-5';

describe('ModelResolver', () => {
  const database = useDatabase();

  let asked: string[];
  let answer: (name: string) => Promise<DescribedOrNot>;
  let sources = 0;
  let store: ModelStore;
  const clock = new ManualClock();
  beforeEach(() => {
    asked = [];
    answer = () => Promise.resolve('missing');
    store = new ModelStore(database.db, `provider-${(sources += 1)}`);
  });
  const resolver = (mode: 'anthropic' | 'rehearsal' = 'anthropic') =>
    new ModelResolver({
      catalogue: new ModelCatalogue(),
      store,
      provider: {
        mode,
        describeModel: (name) => {
          asked.push(name);
          return answer(name);
        },
      },
      clock,
      logger: { warn: () => undefined },
    });

  it('takes an active model as it is, with its price, and asks nobody', async () => {
    const resolved = await resolver().resolve('claude-opus-5-5', standard);
    expect(resolved).toMatchObject({ name: 'claude-opus-5-5', price: { input: 4 }, notices: [] });
    expect(asked).toEqual([]);
  });

  it('drops [1m] from a name, with a notice', async () => {
    const { name, notices } = await resolver().resolve('claude-opus-4-8[1m]', standard);
    expect([name, notices.map(({ kind }) => kind)]).toEqual(['claude-opus-4-8', ['model-changed']]);
  });

  it.each([
    ['claude-opus-5-5', 'claude-opus-5-5'],
    ['claude-sonnet-4-20250514', 'claude-sonnet-5-5'],
  ])('uses the default instead of the contract’s (default %s)', async (current, expected) => {
    const { name, notices } = await resolver().resolve('claude-sonnet-4-20250514', current);
    expect(name).toBe(expected);
    expect(notices).toMatchObject([{ kind: 'model-changed', metadata: { using: expected } }]);
  });

  it.each([
    ['claude-opus-4-1-20250805', 'claude-opus-5-5'],
    ['claude-opus-4-1', 'claude-opus-5-5'],
    ['claude-3-5-haiku-20241022', 'claude-haiku-5-5'],
  ])('refuses %s, which is retired, and says what to use', async (model, useInstead) => {
    await expect(resolver().resolve(model, standard)).rejects.toMatchObject({
      type: 'SDK_FAILURE',
      status: 400,
      details: { category: 'MODEL_RETIRED', model, useInstead },
    });
  });

  it('has the retirement date of a deprecated model in its notice', async () => {
    const { name, notices } = await resolver().resolve('claude-sonnet-4-5', standard);
    expect(name).toBe('claude-sonnet-4-5');
    expect(notices).toMatchObject([
      { kind: 'model-deprecated', metadata: { retiresAt: '2026-11-30', useInstead: standard } },
    ]);
    expect(notices[0]?.text).toContain('2026-11-30');
  });

  it('asks for a model that nobody has described once, for all processes', async () => {
    answer = (id) => Promise.resolve({ id, contextWindow: 300_000, lifecycle: 'active' });
    const [first, second] = [resolver(), resolver()];
    const both = [1, 2].map(() => first.resolve('claude-new-6', standard));
    expect(await Promise.all(both)).toMatchObject([
      { name: 'claude-new-6', notices: [] },
      { name: 'claude-new-6', notices: [] },
    ]);
    expect(await second.load('claude-new-6')).toMatchObject({ contextWindow: 300_000 });
    await second.resolve('claude-new-6', standard);
    expect(asked).toEqual(['claude-new-6']);
  });

  it('sends the model that the provider has for the name', async () => {
    answer = () => Promise.resolve({ id: 'claude-opus-5-5' });
    const { name, notices } = await resolver().resolve('claude-opus-latest', standard);
    expect([name, notices.map(({ kind }) => kind)]).toEqual(['claude-opus-5-5', ['model-changed']]);
  });

  it('refuses models that the provider does not have or has retired', async () => {
    const models = resolver();
    const refused = { status: 400, details: { category: 'MODEL_NOT_FOUND', useInstead: standard } };
    await expect(models.resolve('claude-none', standard)).rejects.toMatchObject(refused);
    await expect(models.resolve('claude-none', standard)).rejects.toMatchObject(refused);
    expect(asked).toEqual(['claude-none']);
    answer = (id) => Promise.resolve({ id, lifecycle: 'retired' });
    await expect(models.resolve('claude-gone', standard)).rejects.toMatchObject({
      details: { category: 'MODEL_RETIRED' },
    });
  });

  it.each([
    ['has no such route', () => Promise.resolve('no-route' as const)],
    ['cannot be reached', () => Promise.reject(new Error('down'))],
  ])('takes a name it cannot ask for, where the provider %s', async (_why, given) => {
    answer = given;
    const { name, notices } = await resolver().resolve('llama-3', standard);
    expect([name, notices.map(({ kind }) => kind)]).toEqual(['llama-3', ['model-not-described']]);
  });

  it('takes the rehearsal’s name in streams for the default, and only in rehearsal', async () => {
    expect(await resolver('rehearsal').resolve('rehearsal', standard)).toMatchObject({
      name: standard,
      notices: [],
    });
    await expect(resolver().resolve('rehearsal', standard)).rejects.toMatchObject({ status: 400 });
  });
});
