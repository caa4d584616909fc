import { describe, expect, it } from '@jest/globals';
import { parseJson, parseYaml, type TextFault } from './parse-text.js';

function faultOf(parsed: ReturnType<typeof parseYaml>): TextFault | undefined {
  return 'fault' in parsed ? parsed.fault : undefined;
}

describe('lineOf', () => {
  const yaml = ['# about', 'a: 1', 'b:', '  - x', '  - y', 'c: { d: [1,', '  2] }', '5: five'];
  const json = ['{ "a": 1,', '"b":', '[', '"x", "y"],', '"c": { "d": [1,', '2] } }'];
  it.each([
    [parseYaml(yaml.join('\n')), [2, 3, 4, 5, 6, 6, 6, 7, 8]],
    [parseJson(json.join('\n')), [1, 2, 4, 4, 5, 5, 5, 6, 1]],
  ])('has the lines of all fields and items', (parsed, lines) => {
    if ('fault' in parsed) throw new Error(parsed.fault.message);
    const { lineOf } = parsed;
    const paths = [['a'], ['b'], ['b', 0], ['b', 1], ['c'], ['c', 'd'], ['c', 'd', 0]];
    expect([...paths, ['c', 'd', 1], ['5']].map(lineOf)).toEqual(lines);
    expect(lineOf(['b', 7, 'x'])).toBe(lineOf(['b']));
    expect([lineOf([]), lineOf(['nothing'])]).toEqual([1, 1]);
  });

  it('follows no alias', () => {
    const parsed = parseYaml('a: &a\n  b: 1\nc: *a');
    expect(
      'fault' in parsed
        ? []
        : [
            ['a', 'b'],
            ['c', 'b'],
          ].map(parsed.lineOf),
    ).toEqual([2, 3]);
  });
});

describe('a text of thousands of levels', () => {
  const deep = 20_000;
  it.each([
    ['lists in a line', '- '.repeat(deep)],
    ['keys in a line', '? '.repeat(deep)],
    ['brackets', '['.repeat(deep) + ']'.repeat(deep)],
    ['open brackets', '['.repeat(deep)],
    ['braces', '{a: '.repeat(deep)],
    ['lines', Array.from({ length: 300 }, (_, at) => `${' '.repeat(at)}a:`).join('\n')],
  ])('is a fault, and not the end of the process: %s', (_what, text) => {
    for (const parsed of [parseYaml(text), parseJson(text)]) {
      expect(faultOf(parsed)?.message).toBe('it has more than 100 levels');
    }
  });

  it('is no text of many parts', () => {
    const wide = `a: [${'[], '.repeat(5_000)}]\nb: "${'['.repeat(5_000)}"\nc: |\n  ${'- '.repeat(5_000)}`;
    expect(faultOf(parseYaml(wide))).toBeUndefined();
  });
});

describe('parseYaml', () => {
  it.each([
    ['a: [1\nb: 2', 2, /./],
    ['a: 1\na: 2', 2, /unique/],
    ['a: *any', 1, /any/],
    ['a: &a [*a]', 1, /circular/],
  ])('finds the fault of %j', (text, line, message) => {
    expect(faultOf(parseYaml(text))).toEqual({ line, message: expect.stringMatching(message) });
  });
});

describe('parseJson', () => {
  it.each([
    ['{"a": 1,\n}', 2],
    ['{\n"a": 1\n"b": 2}', 3],
    ["{'secret': 1}", 1],
    ['{"a": secret', 1],
    ['{\n"a": nul,\n"b": [1}', 3],
    ['', undefined],
    ['a: secret', undefined],
  ])('says where %j is no JSON, and never quotes it', (text, line) => {
    const fault = faultOf(parseJson(text));
    expect(fault?.message).toBe('it is no JSON; check its commas, quotes and brackets');
    expect(fault?.line).toBe(line);
  });
});
