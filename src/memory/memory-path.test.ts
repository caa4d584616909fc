import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { parseMemoryPath } from './memory-path.js';

describe('parseMemoryPath', () => {
  it.each([
    ['/memories', '/memories'],
    ['/memories/', '/memories'],
    ['/memories/notes.md', '/memories/notes.md'],
    ['/memories/a b/ö.md', '/memories/a b/ö.md'],
    ['/memories/dir/', '/memories/dir'],
    ['/memories/o\u0308', '/memories/ö'],
  ])('takes %j', (given, path) => expect(parseMemoryPath(given)).toEqual({ path }));

  it.each([
    '',
    'memories/a',
    '/memoriesa',
    '/etc/passwd',
    '/memories/../etc/passwd',
    '/memories/a/../../b',
    '/memories/./a',
    '/memories//a',
    '/memories/a//',
    '/memories/.hidden',
    '/memories/..',
    '/memories/%2e%2e/a',
    '/memories/a%2fb',
    '/memories/..\\a',
    '/memories/a\u0000',
    '/memories/a\nb',
    '/memories/a\u202eb',
    '/memories/a\u200bb',
    '/memories/\ud800',
    '/memories/ a',
    '/memories/a ',
    `/memories/${'a'.repeat(600)}`,
    '/memories/1/2/3/4/5/6/7/8/9',
    'file:///memories/a',
  ])('refuses %j', (given) => expect(parseMemoryPath(given)).toHaveProperty('problem'));

  it('gives one spelling: what it gives, it takes and gives again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const parsed = parseMemoryPath(`/memories/${name}`);
        if ('problem' in parsed) return;
        expect(parsed.path.split('/')).not.toContain('..');
        expect(parseMemoryPath(parsed.path)).toEqual(parsed);
      }),
    );
  });
});
