import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { anyDeltaBody } from '../../test/support/turn/any-delta-body.js';
import { pushMerged } from './merge-deltas.js';
import type { TurnEventBody } from './turn-event.js';

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
