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
    ['in hex', Buffer.from(KEY).toString('hex')],
  ])('replaces a key %s', (_how, written) => {
    expect(secretRedactor([KEY])(`a ${written} b ${written}`)).toBe(
      'a [REDACTED_API_KEY] b [REDACTED_API_KEY]',
    );
  });

  it.each(['', 'a', 'ab', 'Bearer ', 'user:'])(
    'leaves nothing of a key in base64 behind %j',
    (before) => {
      for (const encoding of ['base64', 'base64url'] as const) {
        const text = Buffer.from(`${before}${KEY} and more`).toString(encoding);
        const left = secretRedactor([KEY])(`x ${text} y`);
        expect(left).toContain('[REDACTED_API_KEY]');
        const rest = left
          .replace(/^x | y$/g, '')
          .split('[REDACTED_API_KEY]')
          .join('');
        expect(Buffer.from(rest, encoding).toString('latin1')).not.toMatch(/sk-|b\+c|=1/);
      }
    },
  );

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
