import { describe, expect, it } from '@jest/globals';
import { compareCursors, formatCursor, parseCursor } from './cursor.js';

const turnId = 'turn_6b0f7c1e-3c0a-4f0e-9a53-6a3b7c0f2d11';

describe('a cursor', () => {
  it.each([
    [{ attempt: 1, seq: 17 }, `${turnId}:1.17`],
    [{ attempt: 2, seq: 1, frame: 3 }, `${turnId}:2.1.3`],
    [{ attempt: 0, seq: 1 }, `${turnId}:0.1`],
  ])('%j is written %s, and read back', (cursor, text) => {
    expect(formatCursor(turnId, cursor)).toBe(text);
    expect(parseCursor(turnId, text)).toEqual(cursor);
    expect(parseCursor(turnId, text.slice(turnId.length + 1))).toEqual(cursor);
  });

  it.each([
    '',
    'x',
    '1',
    '1.',
    '.1',
    '1.2.',
    '1.2.3.4',
    '-1.2',
    '1.-2',
    '1.2 ',
    ' 1.2',
    '1e3.2',
    '9999999999.1',
    'turn_other:1.2',
    `${turnId}:`,
    `${turnId}:1.2\n`,
  ])('refuses %j with an example of what it takes', (text) => {
    expect(() => parseCursor(turnId, text)).toThrow(
      expect.objectContaining({
        type: 'INVALID_REQUEST',
        status: 400,
        message: expect.stringContaining(`${turnId}:1.17`),
      }),
    );
  });

  it('orders by attempt, then by seq', () => {
    const cursors = [
      { attempt: 2, seq: 1 },
      { attempt: 1, seq: 10 },
      { attempt: 1, seq: 9 },
      { attempt: 0, seq: 99 },
    ];
    expect([...cursors].sort(compareCursors)).toEqual([...cursors].reverse());
    expect(compareCursors({ attempt: 1, seq: 1 }, { attempt: 1, seq: 1 })).toBe(0);
  });
});
