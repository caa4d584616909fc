import { describe, expect, it } from '@jest/globals';
import { rankTools } from './find-tools.js';

const tool = (name: string, description: string, ...fields: string[]) => ({
  name,
  description,
  inputSchema: {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])),
  },
});

const tools = [
  tool('mcp__git__create_issue', 'Opens a ticket', 'title', 'body'),
  tool('mcp__git__list_issues', 'Lists tickets of a repository', 'state'),
  tool('mcp__files__readFile', 'Gives the text of a path', 'path'),
  tool('mcp__mail__send', 'Sends a letter with the title and the text that you give', 'title'),
];
const find = (query: string): string[] => rankTools(tools, query).map(({ name }) => name);

describe('rankTools', () => {
  it('finds by words of names, whatever their case and how they are joined', () => {
    expect(find('Create ISSUE')[0]).toBe('mcp__git__create_issue');
    expect(find('read file')[0]).toBe('mcp__files__readFile');
    expect(find('mcp__mail__send')[0]).toBe('mcp__mail__send');
  });

  it('finds by words of descriptions and fields, the rarest first', () => {
    expect(find('letter')).toEqual(['mcp__mail__send']);
    expect(find('state')).toEqual(['mcp__git__list_issues']);
    expect(find('body title')[0]).toBe('mcp__git__create_issue');
  });

  it('finds nothing for words that no tool has, and none at all', () => {
    expect(find('weather')).toEqual([]);
    expect(find('…')).toEqual([]);
    expect(rankTools([], 'issue')).toEqual([]);
  });
});
