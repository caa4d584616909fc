import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../test/support/manual-clock.js';
import type { Clock } from '../../platform/clock.js';
import { Lease } from '../state/lease.js';
import { keepLease, RunningTurns } from './keep-lease.js';

describe('keepLease', () => {
  let clock: ManualClock;
  let lease: Lease;
  let answers: (() => Promise<'lost' | { cancel: 'interrupt' | null; steered: number }>)[];
  let asked: number;
  let errors: unknown[];
  beforeEach(() => {
    clock = new ManualClock();
    lease = new Lease();
    answers = [];
    asked = 0;
    errors = [];
  });

  const keep = (time: Clock = clock) =>
    keepLease({
      claims: {
        extend: async () => {
          asked += 1;
          return (answers.shift() ?? (async () => ({ cancel: null, steered: 0 })))();
        },
      },
      claim: { id: 'a', attempt: 1 },
      lease,
      clock: time,
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

  it('extends leases of about the same time at the same moment', async () => {
    const at: number[] = [];
    const extended = async () => {
      at.push(clock.now());
      return { cancel: null, steered: 0 };
    };
    answers = [extended, extended, extended];
    const start = clock.now();
    for (const gapMs of [1, 600, 500]) {
      await clock.advance(gapMs);
      keep();
    }
    await clock.advance(10_000);
    expect(at.map((ms) => ms - start)).toEqual([10_000, 10_000, 11_000]);
  });

  it('ends the lease when it is lost, or when the end was asked for', async () => {
    answers = [async () => 'lost'];
    keep();
    await clock.advance(10_000);
    expect(lease.reason).toBe('lost');
    lease = new Lease();
    answers = [async () => ({ cancel: 'interrupt', steered: 0 })];
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

  it('takes a lease for lost when the database has not answered for its length', async () => {
    const silence = new Promise<never>(() => undefined);
    answers = [async () => ({ cancel: null, steered: 0 }), () => silence];
    keep();
    await clock.advance(39_999);
    expect([asked, lease.reason]).toEqual([2, undefined]);
    await clock.advance(1);
    expect(lease.reason).toBe('lost');
  });

  it('asks once more after a pause of the whole process, and keeps what is still its own', async () => {
    let answer = (_answer: { cancel: null; steered: number }): void => undefined;
    answers = [() => new Promise((resolve) => (answer = resolve))];
    let pausedMs = 0;
    const now = (): number => clock.now() + pausedMs;
    keep({ now, after: (delayMs, callback) => clock.after(delayMs, callback) });
    // The first timer that fires after the pause finds the lease long over.
    pausedMs = 120_000;
    await clock.advance(10_000);
    await clock.advance(9_999);
    expect(asked).toBe(1);
    expect(lease.reason).toBeUndefined();
    answer({ cancel: null, steered: 0 });
    await clock.advance(0);
    await clock.advance(60_000);
    expect(lease.reason).toBeUndefined();
  });

  it('does not extend a lease that is lost: another worker is to have the turn', async () => {
    const heartbeat = keep();
    lease.end('lost');
    await heartbeat.beat();
    await clock.advance(60_000);
    expect(asked).toBe(0);
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

describe('RunningTurns', () => {
  const beaten: string[] = [];
  const running = (name: string) => ({
    lease: new Lease(),
    beat: async () => void beaten.push(name),
  });

  it('finds a turn by its id', () => {
    const turns = new RunningTurns();
    turns.add('turn', running('a'));
    turns.beat('turn');
    turns.beat('other');
    expect(beaten.splice(0)).toEqual(['a']);
  });

  it('keeps the next attempt when the one before it goes', () => {
    const turns = new RunningTurns();
    const leave = turns.add('turn', running('first'));
    turns.add('turn', running('second'));
    leave();
    leave();
    turns.beat('turn');
    expect(beaten.splice(0)).toEqual(['second']);
  });

  it('ends the lease of every one', () => {
    const turns = new RunningTurns();
    const all = [running('a'), running('b')];
    all.forEach((one, index) => turns.add(`turn ${index}`, one));
    turns.endAll('shutdown');
    expect(all.map(({ lease }) => lease.reason)).toEqual(['shutdown', 'shutdown']);
  });
});
