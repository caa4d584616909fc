import { describe, expect, it } from '@jest/globals';
import type { Cursor } from '../events/cursor.js';
import { checkCursor } from './turn-service.js';

const turn = { id: 'turn_1', attempt: 2 };
const end = { attempt: 2, seq: 7 };

describe('a cursor', () => {
  it.each<[string, Cursor]>([
    ['of an earlier attempt', { attempt: 1, seq: 900 }],
    ['that the log has', { attempt: 2, seq: 3 }],
    ['ahead of the log, which may have lost its tail', { attempt: 2, seq: 900 }],
  ])('%s is one of a turn that runs', (_what, after) => {
    expect(() => checkCursor(turn, after, undefined)).not.toThrow();
  });

  it('of an attempt that the turn has not had is none of it', () => {
    expect(() => checkCursor(turn, { attempt: 3, seq: 1 }, undefined)).toThrow(
      "'turn_1:3.1' is of an attempt that turn turn_1 has not had",
    );
  });

  it.each<[string, Cursor]>([
    ['before its end', { attempt: 2, seq: 6 }],
    ['at its end', end],
    ['at a frame of its end', { ...end, frame: 3 }],
    ['far in an attempt before its last', { attempt: 1, seq: 900 }],
  ])('%s is one of a turn that has ended', (_what, after) => {
    expect(() => checkCursor(turn, after, end)).not.toThrow();
  });

  it.each<[string, Cursor]>([
    ['past the end', { attempt: 2, seq: 8 }],
    ['past its last attempt', { attempt: 3, seq: 1 }],
  ])('%s is none of a turn that has ended', (_what, after) => {
    expect(() => checkCursor(turn, after, end)).toThrow('is past the end of turn turn_1');
  });
});
