import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { cleanName } from './clean-name.js';

describe('cleanName', () => {
  it.each([
    ['report.pdf', 'report.pdf'],
    ['Отчёт 2024.docx', 'Отчёт 2024.docx'],
    ['../../etc/passwd', 'passwd'],
    ['/etc/passwd', 'passwd'],
    ['C:\\x\\y.pdf', 'y.pdf'],
    ['C:y.pdf', 'y.pdf'],
    ['\\\\server\\share\\y.pdf', 'y.pdf'],
    ['a/b\\c.txt', 'c.txt'],
    ['..\\..', 'file'],
    ['folder/', 'file'],
    ['.', 'file'],
    ['..', 'file'],
    ['. . .', 'file'],
    ['', 'file'],
    [undefined, 'file'],
    ['   ', 'file'],
    ['\0\r\n\x7F', 'file'],
    ['.hidden', '.hidden'],
    ['  a b.txt ', 'a b.txt'],
    ['a\0b\r\n\x1B[31m.txt', 'ab[31m.txt'],
    ['a.txt\0.pdf', 'a.txt.pdf'],
    ['.\0.', 'file'],
    ['.\u202E./x', 'x'],
    ['invoice\u202Efdp.exe', 'invoicefdp.exe'],
    ['\u2066a\u2069\u200Fb.txt', 'ab.txt'],
    ['a\u2028b\u2029c\uFEFFd\u200Be\u00ADf.txt', 'abcdef.txt'],
    ['\u{E0041}\u{E0042}x.txt', 'x.txt'],
    ['👩\u200D💻.png', '👩\u200D💻.png'],
    ['می\u200Cخواهم.txt', 'می\u200Cخواهم.txt'],
    ['a\uD800b.txt', 'ab.txt'],
    ['a%2F..%2Fb.txt', 'a%2F..%2Fb.txt'],
    [`${'a'.repeat(300)}.pdf`, `${'a'.repeat(251)}.pdf`],
    [`a.${'b'.repeat(300)}`, `a.${'b'.repeat(253)}`],
    [`${'a'.repeat(250)}😀.pdf`, `${'a'.repeat(250)}.pdf`],
    [`.${'a'.repeat(300)}`, `.${'a'.repeat(254)}`],
  ])('%j is %j', (sent, expected) => {
    expect(cleanName(sent)).toBe(expected);
  });

  it('gives a name that is safe, and the same when it is cleaned again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (sent) => {
        const name = cleanName(sent);
        expect(name).toMatch(/^[^/\\\p{Cc}\p{Cs}]{1,255}$/u);
        expect(cleanName(name).length).toBeGreaterThan(0);
      }),
    );
  });
});
