import { describe, expect, it } from '@jest/globals';
import { joinWritten, listWritten, type WritingTool } from './written-files.js';

const write: WritingTool = {
  name: 'write',
  effect: 'edit',
  permissionArgument: { name: 'file_path', kind: 'path' },
};
const bash: WritingTool = { name: 'bash', effect: 'command' };
const wrote = (path: string) => ({ name: 'write', input: { file_path: path } });
const list = (...calls: { name: string; input: unknown }[]) => listWritten([write, bash], calls);

describe('listWritten', () => {
  it('lists each path once, the first hundred, and counts the rest', () => {
    expect(list(wrote('a'), wrote('b'), wrote('a'))).toEqual({
      paths: ['a', 'b'],
      more: 0,
      ranCommands: false,
    });
    const many = Array.from({ length: 120 }, (_, index) => wrote(`${index}`));
    expect(list(...many)).toMatchObject({ more: 20 });
    expect(list()).toBeUndefined();
  });

  it('tells commands from tools of MCP servers, which it names', () => {
    const called = (name: string) => ({ name, input: {} });
    expect(list(called('bash'), wrote('a'))).toEqual({ paths: ['a'], more: 0, ranCommands: true });
    expect(list(called('mcp__box__put'), called('mcp__box__put'), called('mcp__a__b'))).toEqual({
      paths: [],
      more: 0,
      ranCommands: false,
      mcpTools: ['mcp__box__put', 'mcp__a__b'],
    });
  });
});

describe('joinWritten', () => {
  it('has what either has, once', () => {
    const [a, b] = [
      list(wrote('a'), { name: 'mcp__box__put', input: {} }),
      list(wrote('a'), wrote('b')),
    ];
    expect(joinWritten(a, b)).toEqual({
      paths: ['a', 'b'],
      more: 0,
      ranCommands: false,
      mcpTools: ['mcp__box__put'],
    });
    expect(joinWritten(undefined, b)).toEqual(b);
  });
});
