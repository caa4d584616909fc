import { describe, expect, it } from '@jest/globals';
import { FencedError } from '../../events/event-log.js';
import { TypedError } from '../../errors/typed-error.js';
import { classifyFailure } from './classify-failure.js';
import { Lease, LeaseEndedError, type LeaseEnd } from '../state/lease.js';

describe('endingOf', () => {
  it.each<[LeaseEnd, object]>([
    ['lost', { type: 'leave' }],
    ['shutdown', { type: 'leave' }],
    [
      'interrupt',
      { type: 'end', ending: { outcome: 'interrupted', exitCode: 130, reason: 'interrupt' } },
    ],
    [
      'disconnect',
      { type: 'end', ending: { outcome: 'interrupted', exitCode: 130, reason: 'disconnect' } },
    ],
    [
      'session-deleted',
      { type: 'end', ending: { outcome: 'interrupted', exitCode: 130, reason: 'session-deleted' } },
    ],
    ['deadline', { type: 'end', ending: { outcome: 'limited', exitCode: 0, reason: 'timeout' } }],
  ])('a lease that ended with %s decides, whatever was thrown', (reason, fate) => {
    expect(classifyFailure(new Error('anything'), reason)).toEqual(fate);
    expect(classifyFailure(new LeaseEndedError(reason), reason)).toEqual(fate);
  });

  it('leaves a turn that was fenced off', () => {
    expect(classifyFailure(new FencedError('t', 1, 2), undefined)).toEqual({ type: 'leave' });
  });

  it('leaves a turn whose database went away: its end could not be stored either', () => {
    const cause = Object.assign(new Error('terminating connection'), { code: '57P01' });
    expect(classifyFailure(new Error('Failed query', { cause }), undefined)).toEqual({
      type: 'leave',
    });
    const refused = Object.assign(new Error('no such column'), { code: '42703' });
    expect(classifyFailure(new Error('Failed query', { cause: refused }), undefined)).toMatchObject(
      {
        type: 'end',
        ending: { outcome: 'failed' },
      },
    );
  });

  it('passes a typed error on, with what a client may know', () => {
    const error = new TypedError('SDK_FAILURE', {
      message: 'Busy',
      details: { category: 'X' },
      relayed: { status: 529, retryable: true, retryAfterMs: 1_500, requestId: 'req_1' },
    });
    expect(classifyFailure(error, undefined)).toEqual({
      type: 'end',
      ending: { outcome: 'failed', exitCode: 1, reason: 'SDK_FAILURE' },
      failure: {
        errorType: 'SDK_FAILURE',
        status: 529,
        message: 'Busy',
        details: { category: 'X' },
        retryable: true,
        retryAfterMs: 1_500,
        requestId: 'req_1',
      },
    });
  });

  it('masks anything else, and keeps it for the log', () => {
    const fault = new Error('at /etc/secret');
    const fate = classifyFailure(fault, undefined);
    expect(fate).toMatchObject({
      type: 'end',
      failure: { errorType: 'SDK_FAILURE', status: 500 },
      fault,
    });
    expect(JSON.stringify(fate.type === 'end' && fate.failure)).not.toContain('secret');
  });
});

describe('Lease', () => {
  it('keeps its first reason, and says it on the signal', () => {
    const lease = new Lease();
    lease.end('interrupt');
    lease.end('lost');
    expect(lease.reason).toBe('interrupt');
    expect(lease.signal.reason).toEqual(new LeaseEndedError('interrupt'));
  });
});
