import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { anyDeltaBody } from '../../test/support/turn/any-delta-body.js';
import { DeltaBuffer, pushMerged } from './delta-buffer.js';
import type { TurnEvent, TurnEventBody } from './turn-event.js';

const anyTime = fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true });

interface Batch {
  events: TurnEvent[];
  atMs: number;
}

/** Events whose numbers mostly follow each other, in batches. */
const anyBatches: fc.Arbitrary<Batch[]> = fc
  .array(
    fc.tuple(
      anyTime,
      fc.array(
        fc.record({
          body: anyDeltaBody,
          attempt: fc.constantFrom(1, 1, 1, 2),
          skipped: fc.constantFrom(0, 0, 0, 3),
        }),
        { maxLength: 8 },
      ),
    ),
  )
  .map((batches) => {
    let seq = 0;
    return batches.map(([time, batch]) => {
      const at = time.toISOString();
      const events = batch.map(({ body, attempt, skipped }) => {
        seq += 1 + skipped;
        return { ...body, attempt, seq, at };
      });
      return { events, atMs: time.getTime() };
    });
  });

describe('DeltaBuffer', () => {
  it('gives back what was pushed', () => {
    fc.assert(
      fc.property(anyBatches, (batches) => {
        const held = new DeltaBuffer();
        for (const { events, atMs } of batches) held.push(events, atMs);
        const all = batches.flatMap(({ events }) => events);
        expect(held.all()).toEqual(all);
        expect(held.length).toBe(all.length);
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
    const held = new DeltaBuffer();
    held.push([delta, { ...delta, text: 'b', seq: 8 }], Date.parse(delta.at));
    expect(JSON.stringify(held.all())).toBe(
      JSON.stringify([delta, { ...delta, text: 'b', seq: 8 }]),
    );
  });

  it('is empty when it was cleared', () => {
    const held = new DeltaBuffer();
    const at = '2026-11-26T10:00:00.123Z';
    held.push([{ type: 'step.started', step: 1, attempt: 1, seq: 1, at }], Date.parse(at));
    held.clear();
    expect([held.all(), held.length]).toEqual([[], 0]);
  });
});

/** Each character of a delta with its block; other events whole. */
function spell(events: readonly TurnEventBody[]): string[] {
  return events.flatMap((event) => {
    if (event.type === 'text.delta' || event.type === 'thinking.delta') {
      return event.text.split('').map((char) => `${event.type} ${event.step} ${char}`);
    }
    if (event.type === 'tool.args.delta') {
      return event.json.split('').map((char) => `${event.callId} ${char}`);
    }
    return [JSON.stringify(event)];
  });
}

describe('pushMerged', () => {
  it('keeps every character and every other event, in order, in no more events', () => {
    fc.assert(
      fc.property(fc.array(anyDeltaBody), (bodies) => {
        const merged: TurnEventBody[] = [];
        for (const body of bodies) pushMerged(merged, body);
        expect(spell(merged)).toEqual(spell(bodies));
        expect(merged.length).toBeLessThanOrEqual(bodies.length);
      }),
    );
  });

  it('merges adjacent deltas of one kind and block only', () => {
    const merged: TurnEventBody[] = [];
    pushMerged(merged, { type: 'text.delta', step: 1, text: 'a' });
    pushMerged(merged, { type: 'text.delta', step: 1, text: 'b' });
    pushMerged(merged, { type: 'text.delta', step: 2, text: 'c' });
    pushMerged(merged, { type: 'thinking.delta', step: 2, text: 'd' });
    expect(merged).toEqual([
      { type: 'text.delta', step: 1, text: 'ab' },
      { type: 'text.delta', step: 2, text: 'c' },
      { type: 'thinking.delta', step: 2, text: 'd' },
    ]);
  });

  it('does not change the events it was given', () => {
    const first = Object.freeze({ type: 'text.delta' as const, step: 1, text: 'a' });
    const merged: TurnEventBody[] = [first];
    pushMerged(merged, { type: 'text.delta', step: 1, text: 'b' });
    expect(first.text).toBe('a');
  });
});
