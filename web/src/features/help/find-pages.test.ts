import { describe, expect, it } from '@jest/globals';
import { findPages } from './find-pages.js';

const pages = new Map([
  ['guide/models', '# Models\n\nA turn may name a [model](x.md). `price` is optional.\n'],
  ['operate/budgets', '# Budgets\n\nLimit what a principal spends.\n\n| price | of a model |\n'],
  ['README', '# Documentation\n\nEverything.\n'],
]);

describe('the search of the manual', () => {
  it.each([
    ['price', ['guide/models', 'operate/budgets']],
    ['BUDGETS', ['operate/budgets']],
    ['model', ['guide/models', 'operate/budgets']],
    ['model principal', ['operate/budgets']],
    ['nothing of this', []],
  ])('finds pages with all words, titles first: %s', (search, names) => {
    expect(findPages(pages, search).map(({ name }) => name)).toEqual(names);
  });

  it('shows the line that has a word, as it reads', () => {
    expect(findPages(pages, 'optional')).toEqual([
      {
        name: 'guide/models',
        title: 'Models',
        line: 'A turn may name a model. price is optional.',
      },
    ]);
  });
});
