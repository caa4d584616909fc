import { describe, expect, it } from '@jest/globals';
import { ModelCatalogue } from './model-catalogue.js';

describe('ModelCatalogue', () => {
  it.each([
    ['claude-sonnet-5-5', 1_000_000, true],
    ['claude-opus-4-8', 1_000_000, true],
    ['claude-sonnet-5', 1_000_000, false],
    ['claude-sonnet-4-6', 1_000_000, false],
    ['claude-haiku-4-5', 200_000, false],
  ])('knows %s', (name, contextWindow, takesSystemMessages) => {
    const catalogue = new ModelCatalogue();
    expect(catalogue.find(name)).toMatchObject({ contextWindow, takesSystemMessages });
  });

  it('knows a model with a date by its name without the date', () => {
    const catalogue = new ModelCatalogue();
    expect(catalogue.find('claude-haiku-4-5')?.id).toBe('claude-haiku-4-5-20251001');
    expect(catalogue.find('claude-haiku-4-5-20251001')?.id).toBe('claude-haiku-4-5-20251001');
    expect(catalogue.find('claude-sonnet-4')?.lifecycle).toBe('retired');
  });

  it('reads nothing out of the name of a model that nobody has described', () => {
    const catalogue = new ModelCatalogue();
    expect(catalogue.find('claude-opus-4-10')).toBeUndefined();
    const described = catalogue.describe('claude-opus-9-9');
    expect(described).toMatchObject({ id: 'claude-opus-9-9', thinking: [], efforts: [] });
    expect(described.takesSystemMessages).toBe(false);
  });

  it('merges the provider’s description over the table, and the operator’s file over both', () => {
    const catalogue = new ModelCatalogue({
      overrides: [
        { id: 'claude-sonnet-5-5', maxOutput: 1_000 },
        { id: 'llama', contextWindow: 8_000, takesSystemMessages: true },
      ],
    });
    catalogue.replace([
      { id: 'claude-sonnet-5-5', contextWindow: 2_000_000, maxOutput: 256_000, isListed: true },
    ]);
    const sonnet = catalogue.find('claude-sonnet-5-5');
    expect(sonnet).toMatchObject({ contextWindow: 2_000_000, maxOutput: 1_000 });
    // Fields that the API does not have.
    expect(sonnet).toMatchObject({ price: { input: 2, output: 10 }, bindsThinking: true });
    expect(sonnet).not.toHaveProperty('isListed');
    expect(catalogue.find('llama')).toMatchObject({
      contextWindow: 8_000,
      takesSystemMessages: true,
      mostImages: 100,
    });
  });

  it('follows the provider: what it no longer lists is dropped', () => {
    const catalogue = new ModelCatalogue();
    catalogue.replace([{ id: 'claude-opus-5', lifecycle: 'deprecated', retiresAt: '2027-01-01' }]);
    expect(catalogue.find('claude-opus-5')?.lifecycle).toBe('deprecated');
    catalogue.replace([{ id: 'claude-opus-5' }]);
    expect(catalogue.find('claude-opus-5')?.lifecycle).toBe('active');
  });

  it.each([
    [['adaptive'], 'always'],
    [['adaptive', 'disabled'], 'on'],
    [['adaptive', 'between_tools'], 'on'],
    [['enabled', 'disabled'], 'off'],
    [[], 'off'],
  ] as const)(
    'takes of a new model with the thinking %j that it thinks %s',
    (thinking, expected) => {
      const catalogue = new ModelCatalogue();
      catalogue.add({ id: 'claude-new-6', thinking });
      expect(catalogue.find('claude-new-6')?.thinksByDefault).toBe(expected);
    },
  );

  it('lists the models that turns may name: none that is retired or that the provider does not list', () => {
    const catalogue = new ModelCatalogue({ overrides: [{ id: 'llama' }] });
    const ids = (): string[] => catalogue.list().map(({ id }) => id);
    expect(ids()).toEqual(
      expect.arrayContaining(['claude-mythos-5', 'claude-sonnet-5-5', 'llama']),
    );
    expect(ids()).not.toContain('claude-sonnet-4-20250514');
    catalogue.replace([
      { id: 'claude-sonnet-5-5', isListed: true },
      { id: 'claude-opus-3', isListed: true, lifecycle: 'retired' },
    ]);
    catalogue.add({ id: 'claude-new-6' });
    expect(ids()).toEqual(['claude-sonnet-5-5', 'claude-new-6', 'llama']);
  });

  it('has the operator’s prices before its own, also of models it does not know', () => {
    const catalogue = new ModelCatalogue({
      prices: [
        { model: 'claude-sonnet', input: 1, output: 2 },
        { model: 'llama', input: 0, output: 0 },
      ],
    });
    expect(catalogue.describe('claude-sonnet-5-5').price).toEqual({ input: 1, output: 2 });
    expect(catalogue.describe('claude-haiku-5-5').price).toMatchObject({
      input: 0.1,
      cacheRead: 0.01,
    });
    expect(catalogue.describe('llama-3').price).toEqual({ input: 0, output: 0 });
    expect(catalogue.describe('mistral').price).toBeUndefined();
  });
});
