import { describe, expect, it } from '@jest/globals';
import { parseServerTools } from './parse-server-tools.js';

describe('parseServerTools', () => {
  it('reads names, with most uses where they are given', () => {
    expect(parseServerTools(' web_search=5, web_fetch ,code_execution')).toEqual([
      { name: 'web_search', maxUses: 5 },
      { name: 'web_fetch' },
      { name: 'code_execution' },
    ]);
    expect(parseServerTools('')).toEqual([]);
  });

  it.each([
    'bash',
    'web_search=0',
    'web_search=1.5',
    'web_search=many',
    'web_search=1=2',
    'web_search,web_search',
    'code_execution=3',
  ])('refuses %s', (text) => {
    expect(parseServerTools(text)).toBeUndefined();
  });
});
