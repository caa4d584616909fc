import { describe, expect, it } from '@jest/globals';
import { isStatementRefused } from './statement-refused.js';

const failed = (code: string): Error =>
  new Error('Failed query', { cause: Object.assign(new Error('no'), { code }) });

describe('isStatementRefused', () => {
  it.each(['22021', '23505', '54000'])('is for good with %s', (code) => {
    expect(isStatementRefused(failed(code))).toBe(true);
  });

  it.each(['08006', '40001', '42P01', '40P01', '53300', '57P01', 'ECONNRESET'])(
    'may pass another time with %s',
    (code) => {
      expect(isStatementRefused(failed(code))).toBe(false);
    },
  );

  it('is not for an error without a code', () => {
    expect(isStatementRefused(new Error('x'))).toBe(false);
    expect(isStatementRefused(undefined)).toBe(false);
  });
});
