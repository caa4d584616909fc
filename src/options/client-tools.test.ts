import { describe, expect, it } from '@jest/globals';
import { describeProblems } from './option-problems.js';
import { parseClientTools } from './client-tools.js';
import { freeLimits } from './resolve-limits.js';
import { resolveOptions } from './resolve-options.js';
import { parsePersona } from '../../test/support/agents/parse-persona.js';

const inputSchema = { type: 'object', properties: { title: { type: 'string' } } };
const tool = { name: 'pick_color', description: 'Picks a color.', inputSchema };
const long = (length: number): string => 'x'.repeat(length);
const many = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ ...tool, name: `tool_${index}` }));

function resolve(clientTools: unknown) {
  return resolveOptions({
    opts: { clientTools },
    session: { persona: 'P', mode: 'direct' },
    persona: parsePersona('P', 'Prompt'),
    defaults: {},
    limits: freeLimits({ turnTimeoutMs: 60_000 }),
  });
}

describe('opts.clientTools', () => {
  it.each([
    ['none', []],
    ['one', [tool]],
    ['as many as there may be', many(64)],
    ['no words', [{ ...tool, description: '' }]],
  ])('are taken as they are: %s', (_what, given) => {
    expect(parseClientTools(given)).toEqual({ tools: given, odd: [] });
    const { options, problems } = resolve(given);
    expect(problems).toEqual([]);
    expect(options.clientTools ?? []).toEqual(given);
    expect(Object.hasOwn(options, 'clientTools')).toBe(given.length > 0);
  });

  it.each<[unknown, string]>([
    ['pick_color', 'a list of at most 64 tools'],
    [{ 0: tool }, 'a list of at most 64 tools'],
    [null, 'a list of at most 64 tools'],
    [many(65), 'a list of at most 64 tools'],
    [
      many(3).map((one) => ({ ...one, inputSchema: { ...inputSchema, title: long(60_000) } })),
      'more than 131072 characters',
    ],
  ])('are all left out where the list is not valid, with the fault: %#', (given, fault) => {
    const { options, problems } = resolve(given);
    expect(options.clientTools).toBeUndefined();
    expect(problems).toEqual([
      {
        kind: 'invalid',
        key: 'clientTools',
        expected: expect.stringContaining(fault),
        using: [],
        from: 'default',
      },
    ]);
    const text = describeProblems(problems) ?? '';
    expect(text).toMatch(/^opts\.clientTools ignored: must be a list .* using \[\] \(default\)$/);
    expect(text.length).toBeLessThan(400);
  });

  it('may have no description', () => {
    const { description: _none, ...bare } = tool;
    expect(resolve([bare]).options.clientTools).toEqual([{ ...tool, description: '' }]);
  });

  it.each<[unknown[], string]>([
    [[tool, 'x'], '[1] is no object'],
    [[{ ...tool, effect: 'read' }], '[0] has a field "effect"'],
    [[{ ...tool, name: undefined }], '[0].name is not'],
    [[{ ...tool, name: 'two words' }], '[0].name is not'],
    [[{ ...tool, name: long(65) }], '[0].name is not'],
    [[tool, tool], '[1].name is pick_color for the second time'],
    [[{ ...tool, description: 7 }], '[0].description is not text'],
    [[{ ...tool, description: long(16_385) }], '[0].description is not text'],
    [[{ ...tool, inputSchema: undefined }], '[0].inputSchema is no JSON Schema'],
    [[{ ...tool, inputSchema: [] }], '[0].inputSchema is no JSON Schema'],
    [[{ ...tool, inputSchema: { type: 'array' } }], 'its root is not of type "object"'],
    [[{ ...tool, inputSchema: { anyOf: [{ properties: { 'a b': {} } }] } }], 'a property "a b"'],
    [[{ ...tool, inputSchema: { ...inputSchema, required: 'title' } }], 'must be array'],
    [[{ ...tool, inputSchema: { type: 'object', properties: { 'a b': {} } } }], 'a property "a b"'],
    [
      [{ ...tool, inputSchema: { ...inputSchema, title: long(65_536) } }],
      'more than 65536 characters',
    ],
  ])('are left out one by one where they are not valid, with the fault: %#', (given, fault) => {
    const fine = { ...tool, name: 'fine' };
    const { options, problems } = resolve([...given, fine]);
    expect(options.clientTools).toEqual([...(given[0] === tool ? [tool] : []), fine]);
    expect(problems).toEqual([
      {
        kind: 'without-effect',
        key: expect.stringMatching(/^opts\.clientTools\[\d\]/),
        reason: expect.stringContaining(fault),
      },
    ]);
    const text = describeProblems(problems) ?? '';
    expect(text).toMatch(/^opts\.clientTools\[\d\].* had no effect: clientTools\[\d\]/);
    expect(text.length).toBeLessThan(400);
  });

  it('are made storable', () => {
    const odd = { ...tool, description: 'a\0', inputSchema: { ...inputSchema, title: '\ud800' } };
    expect(parseClientTools([odd])).toEqual({
      tools: [
        { ...tool, description: 'a\uFFFD', inputSchema: { ...inputSchema, title: '\uFFFD' } },
      ],
      odd: [],
    });
  });
});
