import { describe, expect, it } from '@jest/globals';
import { parseDataUrl } from './inline-files.js';

describe('parseDataUrl', () => {
  it.each([
    ['data:text/plain;base64,SGVsbG8=', 'Hello'],
    ['data:;base64,', ''],
    ['data:text/plain;charset=utf-8;BASE64,SGVsbG8=', 'Hello'],
    ['data:,Hello%20there', 'Hello there'],
    ['data:text/plain,a,b', 'a,b'],
  ])('reads %s', (url, content) => {
    expect(String(parseDataUrl(url))).toBe(content);
  });

  it.each(['data:text/plain', 'data:;base64,SGVsbG8', 'data:;base64,SGVs bG8=', 'data:,%E0%A4'])(
    'takes %s for none',
    (url) => {
      expect(parseDataUrl(url)).toBeUndefined();
    },
  );
});
