import { describe, expect, it } from '@jest/globals';
import { chooseProviderMode } from './provider-config.js';
import type { ProviderChoice } from './provider-config.js';

describe('chooseProviderMode', () => {
  it.each<[ProviderChoice['requested'], string | undefined, boolean, string]>([
    ['auto', undefined, false, 'rehearsal'],
    ['auto', 'a-key', false, 'anthropic'],
    ['auto', 'a-key', true, 'anthropic'],
    ['auto', undefined, true, 'anthropic'],
    ['rehearsal', 'a-key', true, 'rehearsal'],
    ['anthropic', undefined, false, 'anthropic'],
  ])('%s, key %s, production %s: %s', (requested, apiKey, production, mode) => {
    expect(chooseProviderMode({ requested, apiKey, production })).toBe(mode);
  });
});
