import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { anyDeltaBody } from '../../test/support/turn/any-delta-body.js';
import { HeldEvents } from './held-events.js';
import type { TurnEvent } from './turn-event.js';

/** Events whose numbers mostly follow each other, in batches. */
const anyBatches: fc.Arbitrary<TurnEvent[][]> = fc
  .array(
    fc.array(
      fc.record({
        body: anyDeltaBody,
        attempt: fc.constantFrom(1, 1, 1, 2),
        skipped: fc.constantFrom(0, 0, 0, 3),
        time: fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }),
      }),
      { maxLength: 8 },
    ),
  )
  .map((batches) => {
    let seq = 0;
    return batches.map((batch) =>
      batch.map(({ body, attempt, skipped, time }) => {
        seq += 1 + skipped;
        return { ...body, attempt, seq, at: time.toISOString() };
      }),
    );
  });

describe('HeldEvents', () => {
  it('gives back what was pushed', () => {
    fc.assert(
      fc.property(anyBatches, (batches) => {
        const held = new HeldEvents();
        for (const batch of batches) held.push(batch);
        expect(held.all()).toEqual(batches.flat());
        expect(held.length).toBe(batches.flat().length);
      }),
    );
  });

  it('gives back the fields of a delta in the order in which a writer stamps them', () => {
    const delta: TurnEvent = {
      type: 'text.delta',
      step: 1,
      text: 'a',
      attempt: 1,
      seq: 7,
      at: '2026-11-26T10:00:00.123Z',
    };
    const held = new HeldEvents();
    held.push([delta, { ...delta, text: 'b', seq: 8 }]);
    expect(JSON.stringify(held.all())).toBe(
      JSON.stringify([delta, { ...delta, text: 'b', seq: 8 }]),
    );
  });

  it('is empty when it was cleared', () => {
    const held = new HeldEvents();
    held.push([
      { type: 'step.started', step: 1, attempt: 1, seq: 1, at: '2026-11-26T10:00:00.123Z' },
    ]);
    held.clear();
    expect([held.all(), held.length]).toEqual([[], 0]);
  });
});
