import { describe, expect, it } from '@jest/globals';
import { principalFolder } from './project-roots.js';

describe('principalFolder', () => {
  it.each([
    ['local', 'default'],
    ['default', '%64efault'],
    ['ann', 'ann'],
    ['ann-2_b@example.com', 'ann-2_b@example.com'],
    ['Ann', '%41nn'],
    ['ANN', '%41%4e%4e'],
    ['..', '%2e.'],
    ['a/../b', 'a%2f..%2fb'],
    ['größe', 'gr%c3%b6%c3%9fe'],
    ['a%41', 'a%2541'],
  ])('of %s is %s', (principal, folder) => {
    expect(principalFolder(principal)).toBe(folder);
  });

  it('is no other principal’s, whatever a disk makes of capitals', () => {
    const names = [
      'ann',
      'Ann',
      'aNN',
      'a%41nn',
      'default',
      'Default',
      'local',
      'Local',
      '%64efault',
    ];
    const folders = names.map((name) => principalFolder(name).toLowerCase());
    expect(new Set(folders).size).toBe(names.length);
  });

  it('fits into a name of a file', () => {
    expect(principalFolder('A'.repeat(64))).toHaveLength(192);
  });
});
