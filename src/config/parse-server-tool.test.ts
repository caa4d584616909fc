import { describe, expect, it } from '@jest/globals';
import { parseServerTool } from './variable-forms.js';

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
