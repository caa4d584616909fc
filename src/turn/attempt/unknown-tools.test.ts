import { describe, expect, it } from '@jest/globals';
import { unknownTools } from './unknown-tools.js';

const opened = [
  { tools: [{ name: 'pick' }], reserved: ['read', 'write'] },
  { tools: [{ name: 'mcp__gh__issues' }] },
];
const sources = [{ owns: ['load_skill'] }, {}];
const told = (...tools: string[]) => unknownTools({ tools }, { sources, opened });

describe('names of opts.tools for which there is no tool', () => {
  it('are told in one notice, with the name that may be meant', () => {
    expect(told('pick', 'reads', 'order_status')).toEqual([
      expect.objectContaining({
        kind: 'tools-unknown',
        text: 'The turn has no tool for these names in opts.tools: "reads" (do you mean read?), "order_status".',
        metadata: { tools: ['reads', 'order_status'] },
      }),
    ]);
  });

  it('are not those of tools, of servers, of the provider, or of a source that has notices of its own', () => {
    expect(told('pick', 'mcp__gh', 'mcp__gh__issues', 'web_search', 'load_skill')).toEqual([]);
  });

  it('are ten at most', () => {
    const names = Array.from({ length: 12 }, (_, index) => `other_${index}`);
    expect(told(...names)[0]?.text).toMatch(/ and 2 more\.$/);
  });
});
