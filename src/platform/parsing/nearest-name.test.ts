import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { nearestName } from './nearest-name.js';

describe('nearestName', () => {
  it.each([
    ['tool', 'tools'],
    ['maxTurns', 'max_turns'],
    ['max-turn', 'max_turns'],
    ['Description', 'description'],
    ['permision', 'permissions'],
    ['dissalowed_tools', 'disallowed_tools'],
    ['tolos', 'tools'],
    ['temperature', undefined],
    ['x', undefined],
    ['', undefined],
    ['a'.repeat(100_000), undefined],
  ])('%.20j: %j', (given, expected) => {
    const known = ['description', 'tools', 'max_turns', 'permissions', 'disallowed_tools'];
    expect(nearestName(given, known)).toBe(expected);
  });

  it('takes the nearest of several', () => {
    expect(nearestName('grap', ['grip', 'grab', 'grap'])).toBe('grap');
    expect(nearestName('globs', ['grobs', 'glob'])).toBe('grobs');
    expect(nearestName('gerp', ['read', 'grep'])).toBe('grep');
    expect(nearestName('a', [])).toBeUndefined();
  });

  it('finds a name with one letter wrong, and gives nothing but a known name', () => {
    const name = fc.stringMatching(/^[a-z]{3,12}$/);
    fc.assert(
      fc.property(name, fc.array(name), fc.nat(), (right, others, at) => {
        const index = at % right.length;
        const wrong = `${right.slice(0, index)}#${right.slice(index + 1)}`;
        expect([right, ...others]).toContain(nearestName(wrong, [right, ...others]));
      }),
    );
  });
});
