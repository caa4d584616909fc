import { describe, expect, it } from '@jest/globals';
import { hasHook, hooksFor, matches } from './match-hooks.js';

describe('matchers of hooks', () => {
  it.each<[string | undefined, string, boolean]>([
    [undefined, 'Write', true],
    ['', 'Write', true],
    ['*', 'Write', true],
    ['Write', 'Write', true],
    ['Write', 'NotebookWrite', false],
    ['write', 'Write', false],
    ['Edit|Write', 'Write', true],
    ['Edit|Write', 'Wri', false],
    ['mcp__.*', 'mcp__a__b', true],
    ['Wri', 'Write', false],
    ['Wri.*', 'Write', true],
  ])('%j is for %s: %s', (matcher, name, is) => {
    expect(matches(matcher, name)).toBe(is);
  });

  it('give each hook its time', () => {
    const run = () => ({});
    const matchers = [
      { hooks: [run], timeout: 2 },
      { matcher: 'Edit', hooks: [run] },
    ];
    expect(hooksFor(matchers, 'Edit', 600_000)).toEqual([
      { run, timeoutMs: 2_000 },
      { run, timeoutMs: 600_000 },
    ]);
    expect(hooksFor(matchers, 'Read', 1)).toHaveLength(1);
    expect([hasHook(matchers.slice(1), 'Read'), hasHook([{ hooks: [] }], 'Read')]).toEqual([
      false,
      false,
    ]);
  });
});
