import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { faultKinds, planFaults, roleOf } from '../../chaos/plan/plan-faults.mjs';
import { markerOf, planTurn } from '../../chaos/plan/plan-turn.mjs';

const cluster = { workers: 3, apis: 2, leaseMs: 2_000 };

describe('the plan of faults', () => {
  it('is decided by the seed', () => {
    const plan = planFaults({ seed: 7, minutes: 1, ...cluster });
    expect(planFaults({ seed: 7, minutes: 1, ...cluster })).toEqual(plan);
    expect(planFaults({ seed: 8, minutes: 1, ...cluster })).not.toEqual(plan);
  });

  it('has nearly every kind in a short run, and all of them in a minute', () => {
    const kinds = (minutes: number) =>
      new Set(planFaults({ seed: 3, minutes, ...cluster }).map((fault) => fault.kind));
    expect(kinds(0.4).size).toBeGreaterThanOrEqual(faultKinds.length - 3);
    expect([...kinds(1)].sort()).toEqual([...faultKinds].sort());
  });

  it('has no kind that the run leaves out', () => {
    const leftOut = ['fill-postgres'] as const;
    const faults = planFaults({ seed: 3, minutes: 5, ...cluster, leftOut });
    expect(faults.filter(({ kind }) => kind === 'fill-postgres')).toEqual([]);
    expect(new Set(faults.map(({ kind }) => kind)).size).toBe(faultKinds.length - 1);
  });

  it('is in order, mended in time, and leaves one of each role alone', () => {
    const seeds = fc.record({
      seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
      minutes: fc.double({ min: 0.1, max: 20, noNaN: true }),
      workers: fc.integer({ min: 1, max: 5 }),
      apis: fc.integer({ min: 1, max: 3 }),
      leaseMs: fc.integer({ min: 1_000, max: 5_000 }),
    });
    fc.assert(
      fc.property(seeds, (options) => {
        const faults = planFaults(options);
        const starts = faults.map((fault) => fault.atMs);
        expect(starts).toEqual([...starts].sort((a, b) => a - b));
        for (const { kind, atMs, lastsMs, target } of faults) {
          expect(atMs + lastsMs).toBeLessThanOrEqual(options.minutes * 60_000);
          const counts = { worker: options.workers, api: options.apis };
          const role = roleOf(kind);
          const count = role === 'worker' || role === 'api' ? counts[role] : 1;
          expect(target).toBeLessThan(count);
          const down = faults.filter(
            (other) =>
              roleOf(other.kind) === role &&
              other.lastsMs > 0 &&
              other.atMs <= atMs &&
              other.atMs + other.lastsMs > atMs,
          );
          expect(new Set(down.map((other) => other.target)).size).toBe(down.length);
          if (count > 1) expect(down.length).toBeLessThan(count);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('freezes a worker for longer than its lease', () => {
    const frozen = planFaults({ seed: 1, minutes: 5, ...cluster }).filter(
      (fault) => fault.kind === 'freeze-worker',
    );
    expect(frozen.length).toBeGreaterThan(0);
    for (const { lastsMs } of frozen) expect(lastsMs).toBeGreaterThan(cluster.leaseMs);
  });
});

describe('the plan of a turn', () => {
  const plans = Array.from({ length: 400 }, (_, index) => planTurn(5, index));

  it('is decided by the seed and the index', () => {
    expect(planTurn(5, 12)).toEqual(plans[12]);
    expect(planTurn(6, 12)).not.toEqual(plans[12]);
  });

  it('has everything a client may do', () => {
    expect(new Set(plans.map((plan) => plan.kind)).size).toBe(8);
    expect(new Set(plans.map((plan) => plan.repeatPost)).size).toBe(3);
    expect(plans.some((plan) => plan.cutsAfter.length === 3)).toBe(true);
    expect(plans.some((plan) => plan.interruptAfter !== undefined)).toBe(true);
    expect(plans.some((plan) => plan.joinsAfter !== undefined)).toBe(true);
    expect(plans.some((plan) => plan.pauseMs > 0)).toBe(true);
  });

  it('abandons only turns that end with their readers', () => {
    const abandoned = plans.filter((plan) => plan.abandonAfter !== undefined);
    expect(abandoned.length).toBeGreaterThan(0);
    expect(new Set(abandoned.map((plan) => plan.onDisconnect))).toEqual(new Set(['cancel']));
  });

  it('gives each command of the run a marker of its own', () => {
    const markers = plans.flatMap(({ message }) => {
      const marker = markerOf(message.replaceAll('\\"', '"'));
      return marker === undefined ? [] : [marker];
    });
    expect(markers.length).toBeGreaterThan(100);
    expect(new Set(markers).size).toBe(markers.length);
  });
});
