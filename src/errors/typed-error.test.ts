import { describe, expect, it } from '@jest/globals';
import { errorEntry, errorTable, type ErrorCode } from './error-table.js';
import { TypedError } from './typed-error.js';

const verdictOf = ({ status, retryable }: TypedError) => ({ status, retryable });

describe('a typed error', () => {
  it.each(Object.keys(errorTable) as ErrorCode[])('of %s has the verdict of the table', (code) => {
    const { status, retryable } = errorEntry(code);
    expect(verdictOf(new TypedError(code, { message: '' }))).toEqual({ status, retryable });
  });

  it('has the verdict of a case, where the call names one', () => {
    const error = new TypedError('SDK_FAILURE', { case: 'timedOut', message: '' });
    expect(verdictOf(error)).toEqual({ status: 504, retryable: true });
  });

  it('has the verdict and the advice of another side', () => {
    const relayed = { status: 529, retryable: true, retryAfterMs: 1_500, requestId: 'req_1' };
    expect(new TypedError('SDK_FAILURE', { relayed, message: '' })).toMatchObject(relayed);
  });

  it.each([
    ['5', 5_000],
    ['Wed, 21 Oct 2026 07:28:00 GMT', undefined],
  ])('takes its pause from Retry-After: %s', (seconds, expected) => {
    const headers = { 'Retry-After': seconds };
    expect(new TypedError('QUEUE_FULL', { message: '', headers }).retryAfterMs).toBe(expected);
  });
});
