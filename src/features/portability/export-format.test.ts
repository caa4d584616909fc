import { describe, expect, it } from '@jest/globals';
import { parseLine } from './export-format.js';

const object = (keys: number): string =>
  `{"type":"header",${Array.from({ length: keys }, (_, key) => `"k${key}":0`).join(',')}}`;

describe('a line of an import', () => {
  it.each([
    ['an object of many keys', object(10_001)],
    ['many objects', `{"type":"header","x":[${'{},'.repeat(300_000)}{}]}`],
    ['deep lists', `{"type":"header","x":${'['.repeat(201)}${']'.repeat(201)}}`],
    // Not even JSON: it was not parsed.
    ['many keys and no end', object(10_001).slice(0, -1)],
  ])('that has %s is refused before it is parsed', (_what, line) => {
    expect(() => parseLine(line, 7)).toThrow('Line 7 is nested too deep, or has too many values');
  });

  it('may have as many keys as any row', () => {
    const text = object(9_000).replace('{', '{"format":"x","version":1,"server":"s","at":"now",');
    expect(() => parseLine(text, 1)).not.toThrow('too many');
  });
});
