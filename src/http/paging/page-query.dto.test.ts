import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { takeRequest } from '../request.pipe.js';
import { PageQueryDto } from './page-query.dto.js';

describe('PageQueryDto', () => {
  it.each([
    [{}, { limit: 50 }],
    [
      { cursor: 'x', limit: '200' },
      { cursor: 'x', limit: 200 },
    ],
    [
      { cursor: '', limit: '1' },
      { cursor: '', limit: 1 },
    ],
  ])('takes %j', async (query, taken) => {
    expect(await takeRequest(PageQueryDto, query)).toEqual(taken);
  });

  it.each(['', ' ', '0', '-1', '201', '1.5', '1e9', 'ten', ['1', '2'], ['1'], { a: '1' }])(
    'refuses the limit %j',
    async (limit) => {
      await expect(takeRequest(PageQueryDto, { limit })).rejects.toMatchObject({
        type: 'INVALID_REQUEST',
        status: 400,
        message: "'limit' must be a whole number from 1 to 200",
      });
    },
  );

  it.each([[['a', 'b']], [{ a: '1' }]])('refuses the cursor %j', async (cursor) => {
    await expect(takeRequest(PageQueryDto, { cursor })).rejects.toThrow(
      "'cursor' must be the 'nextCursor' of an earlier page of the same list",
    );
  });
});
