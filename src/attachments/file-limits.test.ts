import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { harnessLimits, refuseAccess, refuseKind, refuseSize, cleanName } from './file-limits.js';

const MiB = 1024 * 1024;

describe('refuseAccess', () => {
  it.each([
    ['ENOENT', 'Attachment file not found: /x.txt'],
    ['EACCES', 'Attachment file not readable: /x.txt'],
    ['EPERM', 'Attachment file not readable: /x.txt'],
    ['ENOTDIR', 'Attachment file not accessible: /x.txt'],
    ['EIO', 'Attachment file not accessible: /x.txt'],
    [undefined, 'Attachment file not accessible: /x.txt'],
    ['EOPNOTSUPP', 'Attachment path must reference a regular file'],
    ['ENXIO', 'Attachment path must reference a regular file'],
  ])('%s', (code, reason) => expect(refuseAccess(code, '/x.txt')).toBe(reason));
});

describe('refuseKind', () => {
  it('refuses what is no regular file', () => {
    expect(refuseKind({ isFile: () => true })).toBeUndefined();
    expect(refuseKind({ isFile: () => false })).toBe(
      'Attachment path must reference a regular file',
    );
  });
});

describe('refuseSize', () => {
  const tooBig = 'Attachment exceeds per-file size limit (10485760 bytes)';
  const over = 'Attachment exceeds per-turn size budget (18874368 bytes total)';
  const tooMany = 'Attachment exceeds per-turn limit of 20 files';
  it.each([
    [0, 0, 0, undefined],
    [10 * MiB, 0, 0, undefined],
    [10 * MiB + 1, 0, 0, tooBig],
    [10 * MiB, 1, 8 * MiB, undefined],
    [10 * MiB, 1, 8 * MiB + 1, over],
    [0, 2, 18 * MiB, undefined],
    [1, 2, 18 * MiB, over],
    [1, 19, 100, undefined],
    [1, 20, 100, tooMany],
    [10 * MiB + 1, 20, 18 * MiB, tooBig],
  ])('%d bytes after %d files of %d', (size, files, bytes, reason) => {
    expect(refuseSize(size, { files, bytes }, harnessLimits)).toBe(reason);
  });
});

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
