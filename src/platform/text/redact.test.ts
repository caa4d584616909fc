import { describe, expect, it } from '@jest/globals';
import { secretRedactor } from './redact.js';

const KEY = 'sk-ant/Å b+c=1';

describe('secretRedactor', () => {
  it.each([
    ['as it is', KEY],
    ['URL-encoded', encodeURIComponent(KEY)],
    ['encoded in lower case', encodeURIComponent(KEY).replace(/%../g, (hex) => hex.toLowerCase())],
    ['encoded twice', encodeURIComponent(encodeURIComponent(KEY))],
    [
      'encoded twice in lower case',
      encodeURIComponent(encodeURIComponent(KEY)).replace(/%25../g, (hex) => hex.toLowerCase()),
    ],
    ['with + for a space', KEY.replace(' ', '+')],
    ['encoded with + for a space', encodeURIComponent(KEY).replace('%20', '+')],
  ])('replaces a key %s', (_how, written) => {
    expect(secretRedactor([KEY])(`a ${written} b ${written}`)).toBe(
      'a [REDACTED_API_KEY] b [REDACTED_API_KEY]',
    );
  });

  it('takes the longer of two secrets first', () => {
    const redact = secretRedactor(['sk-ant-1234', 'sk-ant-1234-suffix']);
    expect(redact('key=sk-ant-1234-suffix')).toBe('key=[REDACTED_API_KEY]');
  });

  it('takes a secret to the letter, not as a pattern', () => {
    const redact = secretRedactor(['a.c(d)[e]$^|{2}']);
    expect(redact('abc(d)[e]$^|{2} a.c(d)[e]$^|{2}')).toBe('abc(d)[e]$^|{2} [REDACTED_API_KEY]');
  });

  it('ignores secrets shorter than 8 characters', () => {
    expect(secretRedactor(['', 'short12'])('a short12 text')).toBe('a short12 text');
    expect(secretRedactor(['longer12'])('a longer12 text')).toBe('a [REDACTED_API_KEY] text');
  });
});
