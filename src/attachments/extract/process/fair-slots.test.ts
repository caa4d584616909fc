import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { FairSlots, type Slot } from './fair-slots.js';

const QUANTUM_MS = 1_000;

interface Watched {
  /** Number of starts of the job. */
  begun: number;
  end(): void;
  done: Promise<unknown>;
}

function open(slots: number) {
  const clock = new ManualClock();
  const fair = new FairSlots({ slots, quantumMs: QUANTUM_MS, clock });
  const order: string[] = [];
  /** A job that the test ends, or the scheduler preempts. */
  const start = (principalId: string, name = principalId): Watched => {
    let end = (): void => undefined;
    const signalled = new Promise<void>((resolve) => {
      end = resolve;
    });
    const job: Watched = { begun: 0, end, done: Promise.resolve() };
    job.done = fair.run(principalId, async (slot: Slot) => {
      job.begun += 1;
      order.push(name);
      slot.begin();
      const stopped = new Promise<never>((_resolve, reject) => {
        slot.signal.addEventListener('abort', () => reject(new Error('stopped')));
      });
      await Promise.race([signalled, stopped]);
    });
    return job;
  };
  return { fair, clock, order, start };
}

describe('FairSlots', () => {
  it('serves principals in turn, each in the order of its jobs', async () => {
    const { order, start } = open(1);
    const jobs = [
      start('a', 'a1'),
      start('a', 'a2'),
      start('a', 'a3'),
      start('b', 'b1'),
      start('c', 'c1'),
      start('b', 'b2'),
    ];
    for (const job of jobs) job.end();
    await Promise.all(jobs.map(({ done }) => done));
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('lets a hundred jobs that never end keep nobody else waiting for more than a quantum', async () => {
    const { clock, start } = open(2);
    const hostile = Array.from({ length: 100 }, (_, index) => start('hostile', `h${index}`));
    await clock.advance(QUANTUM_MS / 2);
    const small = start('friend');
    expect(small.begun).toBe(0);
    await clock.advance(QUANTUM_MS / 2);
    expect(small.begun).toBe(1);
    // The second long job keeps its slot: it is not restarted for ever.
    expect(hostile.map(({ begun }) => begun).slice(0, 3)).toEqual([1, 1, 0]);
    small.end();
    await small.done;
  });

  it('makes room at once where what runs has had its quantum', async () => {
    const { clock, start } = open(2);
    start('one');
    start('other');
    await clock.advance(20 * QUANTUM_MS);
    const third = start('third');
    await clock.advance(0);
    expect(third.begun).toBe(1);
  });

  it('begins a stopped job again, and stops it no more', async () => {
    const { clock, start } = open(2);
    const [first, second] = [start('a', 'a1'), start('a', 'a2')];
    await clock.advance(QUANTUM_MS);
    const [small, next] = [start('b'), start('c')];
    await clock.advance(0);
    small.end();
    await small.done;
    next.end();
    await next.done;
    expect([first.begun, second.begun]).toEqual([1, 1]);
    first.end();
    await first.done;
    await clock.advance(10 * QUANTUM_MS);
    expect(second.begun).toBe(2);
    const late = start('d');
    await clock.advance(0);
    expect(late.begun).toBe(1);
    late.end();
    second.end();
    await Promise.all([late.done, second.done]);
    expect(second.begun).toBe(2);
  });

  it('takes no slot from one who has no more than who wants it', async () => {
    const { clock, start } = open(2);
    const [patient, busy] = [start('a'), start('b', 'b1')];
    await clock.advance(QUANTUM_MS);
    const more = start('b', 'b2');
    await clock.advance(0);
    expect(more.begun).toBe(1);
    patient.end();
    more.end();
    await Promise.all([patient.done, more.done]);
    expect([patient.begun, busy.begun]).toEqual([1, 2]);
    busy.end();
    await busy.done;
  });

  it('stops nothing where there is one slot', async () => {
    const { clock, start } = open(1);
    const only = start('a');
    const next = start('b');
    await clock.advance(60 * QUANTUM_MS);
    expect(next.begun).toBe(0);
    only.end();
    await only.done;
    next.end();
    await next.done;
    expect(only.begun).toBe(1);
  });

  it('gives a job’s own fault to who asked, and takes the next', async () => {
    const { fair } = open(1);
    const failed = fair.run('a', async () => {
      throw new Error('a fault');
    });
    const next = fair.run('a', async () => 'done');
    await expect(failed).rejects.toThrow('a fault');
    expect(await next).toBe('done');
  });

  it('rejects what waits when it is cleared', async () => {
    const { fair, start } = open(1);
    const running = start('a');
    const waiting = start('a');
    fair.clear(new Error('closed'));
    await expect(waiting.done).rejects.toThrow('closed');
    running.end();
    await running.done;
  });
});
