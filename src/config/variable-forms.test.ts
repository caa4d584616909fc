import { describe, expect, it } from '@jest/globals';
import { parseHostEntry } from './variable-forms.js';

describe('parseHostEntry', () => {
  it.each([
    ['mcp.example.com', 'mcp.example.com'],
    [' MCP.Example.com:8443 ', 'mcp.example.com:8443'],
    ['*.example.com', '*.example.com'],
    ['[::1]:9000', '[::1]:9000'],
    ['127.0.0.1', '127.0.0.1'],
    ['https://example.com', undefined],
    ['example.com/path', undefined],
    ['*', undefined],
    ['a*.example.com', undefined],
    ['', undefined],
  ])('%j is %j', (text, entry) => expect(parseHostEntry(text)).toBe(entry));
});
