import { describe, expect, it } from '@jest/globals';
import { ModelCatalogue } from './model-catalogue.js';

describe('ModelCatalogue', () => {
  const catalogue = new ModelCatalogue();

  it.each([
    ['claude-sonnet-5-5', 1_000_000, true],
    ['claude-opus-4-8', 1_000_000, true],
    ['claude-sonnet-5', 1_000_000, false],
    ['claude-sonnet-4-6', 1_000_000, false],
    ['claude-haiku-4-5', 200_000, false],
  ])('knows %s', (name, contextWindow, takesSystemMessages) => {
    expect(catalogue.find(name)).toMatchObject({ contextWindow, takesSystemMessages });
  });

  it('knows a model with a date by its name without the date', () => {
    expect(catalogue.find('claude-haiku-4-5')?.id).toBe('claude-haiku-4-5-20251001');
    expect(catalogue.find('claude-haiku-4-5-20251001')?.id).toBe('claude-haiku-4-5-20251001');
  });

  it('knows which models are gone', () => {
    expect(catalogue.find('claude-sonnet-4')?.lifecycle).toBe('retired');
  });

  it('reads nothing out of the name of a model that nobody has described', () => {
    expect(catalogue.find('claude-opus-4-10')).toBeUndefined();
    const described = catalogue.describe('claude-opus-9-9');
    expect(described).toMatchObject({ id: 'claude-opus-9-9', thinking: [], efforts: [] });
    expect(described.takesSystemMessages).toBe(false);
  });
});
