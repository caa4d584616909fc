import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { parseCursor } from '../../events/cursor.js';
import type { TurnEvent } from '../../events/turn-event.js';
import type { Dialect } from './dialect.js';
import { encodeTurn, type FrameWithCursor } from './encode-turn.js';

/** Says an event as often as its text is long, numbered over the whole turn: none, one or many. */
const counting: Dialect<number> = {
  name: 'counting',
  initial: 0,
  encode: (count, event) => {
    const times = event.type === 'text.delta' ? event.text.length : 0;
    const frames = Array.from({ length: times }, (_, i) => ({ data: String(count + i + 1) }));
    return { state: count + times, frames };
  },
};

/** A log: for each attempt, the text lengths of its events. */
function logOf(attempts: readonly (readonly number[])[]): TurnEvent[] {
  return attempts.flatMap((lengths, index) =>
    lengths.map((length, i): TurnEvent => {
      const place = { attempt: index + 1, seq: i + 1, at: '' };
      return { type: 'text.delta', step: 1, text: 'x'.repeat(length), ...place };
    }),
  );
}

function encode(events: readonly TurnEvent[], after?: string): FrameWithCursor[] {
  const cursor = after === undefined ? undefined : parseCursor('t', after);
  const next = encodeTurn(counting, 't', cursor);
  return events.flatMap((event) => next(event));
}

describe('encodeTurn', () => {
  it('counts the frames of an event that makes several, and of no other', () => {
    expect(encode(logOf([[1, 0, 3], [1]]))).toEqual([
      { id: 't:1.1', data: '1' },
      { id: 't:1.3.1', data: '2' },
      { id: 't:1.3.2', data: '3' },
      { id: 't:1.3.3', data: '4' },
      { id: 't:2.1', data: '5' },
    ]);
  });

  it('goes on after any frame with the rest, and nothing twice, whatever the log', () => {
    const anyLog = fc.array(fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 5 }), {
      maxLength: 3,
    });
    fc.assert(
      fc.property(anyLog, (lengths) => {
        const events = logOf(lengths);
        const frames = encode(events);
        expect(new Set(frames.map((frame) => frame.id)).size).toBe(frames.length);
        for (const [index, frame] of frames.entries()) {
          expect(encode(events, frame.id)).toEqual(frames.slice(index + 1));
        }
      }),
    );
  });

  it.each([
    ['0.0', ['1', '2', '3', '4']],
    ['1.2', ['2', '3', '4']],
    ['1.3', []],
    ['1.3.0', ['2', '3', '4']],
    ['1.3.9', []],
    // The frame was of an event that was lost with the process that sent it.
    ['1.9', []],
    ['2.1', []],
  ])('gives after %s what comes after that place: %j', (after, rest) => {
    expect(encode(logOf([[1, 0, 3]]), after).map((frame) => frame.data)).toEqual(rest);
  });

  it('says nothing after the dialect’s last frame', () => {
    const twoFrames: Dialect<number> = { ...counting, isOver: (count) => count >= 2 };
    const next = encodeTurn(twoFrames, 't');
    const states = logOf([[1, 1, 1]]).map((event) => [next.isOver(), next(event).length]);
    expect(states).toEqual([
      [false, 1],
      [false, 1],
      [true, 0],
    ]);
  });
});
