import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { isId, newId, newTimeId, timeOfId } from './ids.js';

const latest = 2 ** 48 - 1;
const times = fc.integer({ min: 0, max: latest });

describe('newTimeId', () => {
  it('is a UUIDv7 with its time', () => {
    const id = newTimeId('sess', Date.parse('2026-01-01T00:00:00.000Z'));
    expect(id).toMatch(/^sess_019b76da-a800-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('is an id, at every time', () => {
    fc.assert(fc.property(times, (now) => isId('turn', newTimeId('turn', now))));
  });

  it('sorts by its time', () => {
    fc.assert(
      fc.property(times, times, (a, b) => {
        fc.pre(a < b);
        expect(newTimeId('turn', a) < newTimeId('turn', b)).toBe(true);
      }),
    );
  });

  it('takes a clock with fractions of milliseconds', () => {
    expect(isId('turn', newTimeId('turn', 1_767_225_600_000.75))).toBe(true);
  });

  it('is never the same twice in one millisecond', () => {
    const ids = Array.from({ length: 1_000 }, () => newTimeId('turn', 1));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('timeOfId', () => {
  it('gives back when an id was made', () => {
    fc.assert(fc.property(times, (now) => timeOfId(newTimeId('turn', now)) === now));
  });

  it.each([newId('turn'), '', 'turn_1', 'turn 7'])('knows no time of %s', (id) => {
    expect(timeOfId(id)).toBeUndefined();
  });
});

describe('isId', () => {
  it('takes a prefix with a UUID, and nothing else', () => {
    const id = newId('sess');
    expect(isId('sess', id)).toBe(true);
    for (const other of [
      '',
      'sess_',
      `${id}x`,
      `x${id}`,
      id.toUpperCase(),
      '../etc',
      `turn_${id}`,
    ]) {
      expect([other, isId('sess', other)]).toEqual([other, false]);
    }
  });
});
