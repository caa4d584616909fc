import { describe, expect, it } from '@jest/globals';
import { parseContentDisposition } from './parse-content-disposition.js';

/** A header as the parser gives it: one character for each byte. */
const bytesOf = (text: string): string => Buffer.from(text).toString('latin1');

describe('parseContentDisposition', () => {
  it.each([
    ['form-data; name="a"', { name: 'a', fileName: undefined }],
    ['Form-Data ;NAME=a ; FileName=b.txt', { name: 'a', fileName: 'b.txt' }],
    ['form-data; name=""; filename=""', { name: '', fileName: '' }],
    ['form-data; name="a"; filename="Отчёт.pdf"', { name: 'a', fileName: 'Отчёт.pdf' }],
    [
      String.raw`form-data; name="a"; filename="C:\x\y.pdf"`,
      { name: 'a', fileName: 'C:\\x\\y.pdf' },
    ],
    [String.raw`form-data; name="a"; filename="a\"b\\c"`, { name: 'a', fileName: 'a"b\\c' }],
    ['form-data; name="a"; filename="a%22b%0D%0A%41"', { name: 'a', fileName: 'a"b\r\n%41' }],
    ['form-data; name="a"; filename="x;y=z"', { name: 'a', fileName: 'x;y=z' }],
    [
      `form-data; name="a"; filename="x"; filename*=UTF-8''%E2%82%AC%0A.txt`,
      { name: 'a', fileName: '€\n.txt' },
    ],
    ['form-data', undefined],
    ['form-data; filename="a"', undefined],
    ['attachment; name="a"', undefined],
    ['form-data; name="a', undefined],
    ['form-data; name="a" b', undefined],
    ["form-data; name=a; filename*=utf-8''%ff", undefined],
    ['form-data; name=a; filename*=x', undefined],
    ['', undefined],
  ])('%s', (header, expected) => {
    expect(parseContentDisposition(bytesOf(header))).toEqual(expected);
  });

  it('is quick with a header that never ends', () => {
    expect(parseContentDisposition(`form-data; name="${'\\"'.repeat(40_000)}`)).toBeUndefined();
    expect(parseContentDisposition(`form-data${' '.repeat(80_000)}`)).toBeUndefined();
  });
});
