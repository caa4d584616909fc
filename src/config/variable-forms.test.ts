import { describe, expect, it } from '@jest/globals';
import {
  parseHostEntry,
  parseAllowedOrigin,
  parseServerTool,
  findPrice,
  parsePrices,
} from './variable-forms.js';

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

describe('parseAllowedOrigin', () => {
  it.each([
    ['https://Gateway.Example:443/', 'https://gateway.example'],
    ['http://localhost:8080', 'http://localhost:8080'],
    ['http://localhost.:8080', 'http://localhost.:8080'],
    ['http://gateway.example', 'http://gateway.example'],
    ['ftp://gateway.example', undefined],
    ['https://gateway.example/path', undefined],
    ['https://gateway.example?x', undefined],
    ['https://user@gateway.example', undefined],
    ['gateway.example', undefined],
    ['*', undefined],
  ])('%s is %s', (entry, origin) => {
    expect(parseAllowedOrigin(entry)).toBe(origin);
  });
});

describe('parseServerTool', () => {
  it.each([
    ['web_search=5', { name: 'web_search', maxUses: 5 }],
    ['web_fetch', { name: 'web_fetch' }],
    ['code_execution', { name: 'code_execution' }],
  ])('parses %s', (text, tool) => {
    expect(parseServerTool(text)).toEqual(tool);
  });

  it.each([
    'bash',
    'web_search=0',
    'web_search=1.5',
    'web_search=many',
    'web_search=1=2',
    'code_execution=3',
  ])('refuses %s', (text) => {
    expect(parseServerTool(text)).toBeUndefined();
  });
});

it.each([
  ['claude=3/15', [{ model: 'claude', input: 3, output: 15 }]],
  [
    ' a=0.5/1 , b=0/0',
    [
      { model: 'a', input: 0.5, output: 1 },
      { model: 'b', input: 0, output: 0 },
    ],
  ],
  ['claude', undefined],
  ['claude=3', undefined],
  ['claude=3/x', undefined],
  ['claude=3.1.2/1', undefined],
  ['=3/15', undefined],
  ['a=1/2,', undefined],
])('reads %j', (text, prices) => {
  expect(parsePrices(text)).toEqual(prices);
});

it('takes the longest beginning of a name', () => {
  const prices = parsePrices('claude=1/2,claude-opus=15/75,claude-opus-5=5/25') ?? [];
  expect(findPrice(prices, 'claude-opus-4-8')).toEqual({ input: 15, output: 75 });
  expect(findPrice(prices, 'claude-opus-5')).toEqual({ input: 5, output: 25 });
  expect(findPrice(prices, 'claude-haiku')).toEqual({ input: 1, output: 2 });
  expect(findPrice(prices, 'gpt')).toBeUndefined();
});
