import { describe, expect, it } from '@jest/globals';
import { chooseProviderMode, keyOf } from './provider-config.js';
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

  it('is no rehearsal where another server is named, which may need no key', () => {
    const choice = { apiKey: undefined, production: false, profile: 'ollama' } as const;
    expect(chooseProviderMode({ ...choice, requested: 'auto' })).toBe('anthropic');
    expect(chooseProviderMode({ ...choice, requested: 'rehearsal' })).toBe('rehearsal');
  });
});

describe('the key of a server', () => {
  it.each([
    ['anthropic', 'claude'],
    ['compatible', 'claude'],
    ['ollama', undefined],
    ['openrouter', undefined],
  ] as const)('of %s without one of its own is %s', (providerProfile, key) => {
    const keys = { apiKey: 'claude', providerProfile };
    expect(keyOf({ ...keys, providerKey: undefined })).toBe(key);
    expect(keyOf({ ...keys, providerKey: 'own' })).toBe('own');
  });
});
