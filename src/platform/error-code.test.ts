import { describe, expect, it } from '@jest/globals';
import { errorCode } from './error-code.js';

describe('errorCode', () => {
  it.each([
    [Object.assign(new Error('x'), { code: 'ENOENT' }), 'ENOENT'],
    [{ code: 5 }, undefined],
    [new Error('x'), undefined],
    [null, undefined],
    ['x', undefined],
  ])('of %p is %p', (error, code) => {
    expect(errorCode(error)).toBe(code);
  });
});
