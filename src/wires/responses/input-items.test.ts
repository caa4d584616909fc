import { describe, expect, it } from '@jest/globals';
import { pageItems } from './input-items.js';

const items = ['a', 'b', 'c'].map((id) => ({ id, type: 'message' }));
const page = (after: string | undefined, limit: number, order: 'asc' | 'desc') => {
  const { data, has_more } = pageItems(items, { after, limit, order });
  return [data.map(({ id }) => id), has_more];
};

describe('pageItems', () => {
  it.each<[string | undefined, number, 'asc' | 'desc', string, boolean]>([
    [undefined, 20, 'desc', 'cba', false],
    [undefined, 2, 'asc', 'ab', true],
    ['b', 2, 'asc', 'c', false],
    ['c', 1, 'desc', 'b', true],
    ['a', 1, 'desc', '', false],
  ])('after %s, at most %i, %s: %s', (after, limit, order, ids, hasMore) => {
    expect(page(after, limit, order)).toEqual([Array.from(ids), hasMore]);
  });

  it('names the ends of a page, and refuses an item of another list', () => {
    expect(pageItems(items, { after: undefined, limit: 2, order: 'asc' })).toMatchObject({
      first_id: 'a',
      last_id: 'b',
    });
    expect(() => page('x', 2, 'asc')).toThrow("'after' must be the id of an item");
  });
});
