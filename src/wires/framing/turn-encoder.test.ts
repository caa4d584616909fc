import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { parseCursor } from '../../events/cursor.js';
import type { TurnEvent } from '../../events/turn-event.js';
import { type Dialect, type FrameWithCursor, formatFrame } from './dialect.js';
import { TurnEncoder } from './turn-encoder.js';

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
  const encoder = new TurnEncoder(counting, 't', cursor);
  return events.flatMap((event) => encoder.encode(event));
}

describe('TurnEncoder', () => {
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
    const encoder = new TurnEncoder(twoFrames, 't');
    const states = logOf([[1, 1, 1]]).map((event) => [
      encoder.isOver(),
      encoder.encode(event).length,
    ]);
    expect(states).toEqual([
      [false, 1],
      [false, 1],
      [true, 0],
    ]);
  });

  it('gives texts of the same frames, in whatever batches the events come', () => {
    const lengths = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(lengths, fc.nat(8), fc.nat(8), (oneAttempt, split, skipped) => {
        const events = logOf([oneAttempt]);
        const batches = [events.slice(0, split), events.slice(split)];
        const after = encode(events)[skipped]?.id;
        const cursor = after === undefined ? undefined : parseCursor('t', after);
        const encoder = new TurnEncoder(counting, 't', cursor);
        const text = batches.flatMap((batch) => [...encoder.texts(batch)]).join('');
        expect(text).toBe(encode(events, after).map(formatFrame).join(''));
      }),
    );
  });

  it('names the turn of each reader where two turns have the same events', () => {
    const events = logOf([[1]]);
    const texts = ['t', 'u', 't'].map((turnId) => [
      ...new TurnEncoder(counting, turnId).texts(events),
    ]);
    const ofTurn = (turnId: string): string[] => [`id: ${turnId}:1.1\ndata: 1\n\n`];
    expect(texts).toEqual([ofTurn('t'), ofTurn('u'), ofTurn('t')]);
  });

  it('begins a new text after 64 KiB', () => {
    const long: Dialect<number> = {
      ...counting,
      encode: (state) => ({ state, frames: [{ data: 'x'.repeat(60 * 1024) }] }),
    };
    const encoder = new TurnEncoder(long, 't');
    const lengths = [...encoder.texts(logOf([[1, 1, 1]]))].map((text) =>
      Math.round(text.length / 1024),
    );
    expect(lengths).toEqual([120, 60]);
  });
});
