import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { toolName } from './tool-name.js';

const server = fc.stringMatching(/^[a-zA-Z0-9-]{1,32}$/);

describe('toolName', () => {
  it.each([
    ['github', 'create_issue', 'mcp__github__create_issue'],
    ['a', '_b', 'mcp__a___b'],
  ])('of %s and %s', (server, tool, name) => expect(toolName(server, tool)).toBe(name));

  it('ends with a hash where it is not the name that the server gave', () => {
    expect(toolName('github', 'issues/create')).toMatch(/^mcp__github__issues_create_[0-9a-f]{8}$/);
  });

  it('is a name that models take, whatever the server calls its tool', () => {
    fc.assert(
      fc.property(server, fc.string({ minLength: 1, unit: 'grapheme' }), (name, tool) => {
        expect(toolName(name, tool)).toMatch(/^mcp__[a-zA-Z0-9_-]{1,59}$/);
      }),
    );
  });

  it('keeps two tools apart', () => {
    const tools = ['a b', 'a_b', 'a/b', `${'x'.repeat(80)}1`, `${'x'.repeat(80)}2`];
    expect(new Set(tools.map((tool) => toolName('s', tool))).size).toBe(tools.length);
  });
});
