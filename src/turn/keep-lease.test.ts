import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../test/support/manual-clock.js';
import { keepLease } from './keep-lease.js';
import { Lease } from './lease.js';

describe('keepLease', () => {
  let clock: ManualClock;
  let lease: Lease;
  let answers: (() => Promise<'lost' | { cancel: 'interrupt' | null }>)[];
  let asked: number;
  let errors: unknown[];
  beforeEach(() => {
    clock = new ManualClock();
    lease = new Lease();
    answers = [];
    asked = 0;
    errors = [];
  });

  const keep = () =>
    keepLease({
      claims: {
        extend: async () => {
          asked += 1;
          return (answers.shift() ?? (async () => ({ cancel: null })))();
        },
      },
      claim: { turnId: 'a', sessionId: 's', attempt: 1 },
      lease,
      clock,
      leaseMs: 30_000,
      onError: (error) => errors.push(error),
    });

  it('extends three times in a lease, until it is stopped', async () => {
    const heartbeat = keep();
    await clock.advance(30_000);
    expect(asked).toBe(3);
    heartbeat.stop();
    await clock.advance(60_000);
    expect(asked).toBe(3);
    expect(lease.reason).toBeUndefined();
    expect(clock.pending).toBe(0);
  });

  it('ends the lease when it is lost, or when the end was asked for', async () => {
    answers = [async () => 'lost'];
    keep();
    await clock.advance(10_000);
    expect(lease.reason).toBe('lost');
    lease = new Lease();
    answers = [async () => ({ cancel: 'interrupt' })];
    await keep().beat();
    expect(lease.reason).toBe('interrupt');
  });

  it('takes a lease for lost that could not be extended for its length, and not sooner', async () => {
    const fail = async () => {
      throw new Error('no database');
    };
    answers = [fail, fail, fail, fail];
    keep();
    await clock.advance(20_000);
    expect(lease.reason).toBeUndefined();
    await clock.advance(10_000);
    expect(lease.reason).toBe('lost');
    expect(errors).toHaveLength(3);
  });

  it('goes on after a short absence of the database', async () => {
    answers = [
      async () => {
        throw new Error('no database');
      },
    ];
    keep();
    await clock.advance(90_000);
    expect(lease.reason).toBeUndefined();
  });
});
