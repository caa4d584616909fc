import { describe, expect, it } from '@jest/globals';
import { harnessLimits, refuseAccess, refuseKind, refuseSize } from './check-attachment.js';

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
