import { describe, expect, it } from '@jest/globals';
import { checkPath, refuseAccess, refuseBudget, refuseFile } from './check-attachment.js';

const allowed = '.png, .jpg, .jpeg, .gif, .webp, .pdf, .txt, .md, .csv';
const MiB = 1024 * 1024;

describe('checkPath', () => {
  it.each([
    ['/a/b.TXT', { mimeType: 'text/plain' }],
    ['b.txt', { reason: 'Attachment path must be absolute' }],
    ['./b.exe', { reason: 'Attachment path must be absolute' }],
    ['', { reason: 'Attachment path must be absolute' }],
    ['/a/b.EXE', { reason: `Unsupported attachment extension '.exe'. Allowed: ${allowed}` }],
    ['/a/b', { reason: `Unsupported attachment extension '(none)'. Allowed: ${allowed}` }],
    ['/a/.png', { reason: `Unsupported attachment extension '(none)'. Allowed: ${allowed}` }],
  ])('%j', (path, expected) => expect(checkPath(path)).toEqual(expected));
});

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

describe('refuseFile', () => {
  const file = (size: number, regular = true) => ({ isFile: () => regular, size });
  const tooBig = 'Attachment exceeds per-file size limit (10485760 bytes)';
  const tooBigImage = "Attachment exceeds the model's image size limit (5242880 bytes)";
  it.each([
    [file(0), 'text/plain', undefined],
    [file(10 * MiB), 'text/plain', undefined],
    [file(10 * MiB + 1), 'text/plain', tooBig],
    [file(10 * MiB), 'application/pdf', undefined],
    [file(5 * MiB), 'image/png', undefined],
    [file(5 * MiB + 1), 'image/png', tooBigImage],
    [file(10 * MiB), 'image/webp', tooBigImage],
    [file(10 * MiB + 1), 'image/webp', tooBig],
    [file(20 * MiB, false), 'image/png', 'Attachment path must reference a regular file'],
  ])('%j as %s', (facts, mimeType, reason) => {
    expect(refuseFile(facts, mimeType)).toBe(reason);
  });
});

describe('refuseBudget', () => {
  const over = 'Attachment exceeds per-turn size budget (18874368 bytes total)';
  it.each([
    [0, 18 * MiB, undefined],
    [8 * MiB, 10 * MiB, undefined],
    [8 * MiB + 1, 10 * MiB, over],
    [18 * MiB, 0, undefined],
    [18 * MiB, 1, over],
  ])('%d accepted and %d more', (accepted, size, reason) => {
    expect(refuseBudget(accepted, size)).toBe(reason);
  });
});
