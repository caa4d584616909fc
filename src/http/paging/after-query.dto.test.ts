import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { AfterQueryDto, cursorOf } from './page-query.dto.js';
import { takeRequest } from '../request.pipe.js';

describe('the cursor of a stream', () => {
  it.each([
    [undefined, {}, undefined],
    [undefined, { after: '' }, undefined],
    [undefined, { after: '1.2' }, '1.2'],
    ['1.3', { after: '1.2' }, '1.3'],
    ['', { after: '1.2' }, undefined],
  ])('of the header %j and the query %j is %j', async (header, query, expected) => {
    expect(cursorOf(header, await takeRequest(AfterQueryDto, query))).toBe(expected);
  });

  it.each([[['1.2', '1.3']], [{ a: '1' }]])('is not %j', async (after) => {
    await expect(takeRequest(AfterQueryDto, { after })).rejects.toThrow(/given once/);
  });
});
