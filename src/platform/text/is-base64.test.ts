import { expect, it } from '@jest/globals';
import { isBase64 } from './is-base64.js';

it.each(['', 'QQ', 'QQ==', 'QUI=', 'QUJD', '+/09'])('takes %j', (text) => {
  expect(isBase64(text)).toBe(true);
});

it.each(['QQ===', 'Q=Q=', '=QQ', 'Q Q', 'QQ\n', 'QQ-_', 'é'])('does not take %j', (text) => {
  expect(isBase64(text)).toBe(false);
});

it('takes a text of forty million characters', () => {
  expect(isBase64('A'.repeat(40_000_000))).toBe(true);
  expect(isBase64(`${'A'.repeat(40_000_000)}!`)).toBe(false);
});
