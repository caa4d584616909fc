import { describe, expect, it } from '@jest/globals';
import { hashKey, containsKey, isKeyText, newSecret } from './key-secret.js';

describe('newSecret', () => {
  it('makes a text that says whose key it is, with 32 random bytes', () => {
    const { id, text, hash } = newSecret();
    expect(text).toMatch(new RegExp(`^tpk_${id}_[\\w-]{43}$`));
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(hashKey(text)).toBe(hash);
    expect(newSecret().text).not.toBe(text);
  });
});

describe('isKeyText', () => {
  const { text } = newSecret();

  it.each([
    [text, true],
    [text.slice(0, -1), false],
    [`${text}x`, false],
    [` ${text}`, false],
    ['sk-ant-api03-xyz', false],
    ['', false],
  ])('of %j is %j', (given, expected) => {
    expect(isKeyText(given)).toBe(expected);
  });

  it('is not needed to find a key, or most of one, in a longer text', () => {
    expect(containsKey(`/agents?key=${text}&x=1`)).toBe(true);
    expect(containsKey(`/agents?key=${text.slice(0, 40)}`)).toBe(true);
    expect(containsKey('/agents?key=tpk_')).toBe(false);
  });
});
