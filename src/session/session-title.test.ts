import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { sessionTitle } from './session-title.js';

const stored = (message: string): string => JSON.stringify({ message, opts: {}, attachments: [] });

describe('the title of a session', () => {
  it.each([
    ['Hello', 'Hello'],
    ['  What is\n\tthis?  ', 'What is this?'],
    ['Say "yes" \\ no', 'Say "yes" \\ no'],
    ['a\0b', 'a b'],
    ['C:\\u', 'C:\\u'],
    ['C:\\\\ua1', 'C:\\\\ua1'],
    ['x'.repeat(80), 'x'.repeat(80)],
    ['x'.repeat(81), `${'x'.repeat(79)}…`],
    [`${'x'.repeat(78)} yyy`, `${'x'.repeat(78)}…`],
    ['😀'.repeat(81), `${'😀'.repeat(79)}…`],
    ['', undefined],
    [' \n ', undefined],
  ])('of %j is %j', (message, title) => {
    expect(sessionTitle(stored(message))).toBe(title);
  });

  it('is none where no turn was', () => {
    expect(sessionTitle(null)).toBeUndefined();
    expect(sessionTitle('{"opts":{}}')).toBeUndefined();
  });

  it('is one line that the message begins with, wherever what was read is cut', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(200), (message, cut) => {
        const title = sessionTitle(stored(message).slice(0, cut)) ?? '';
        expect([...new Intl.Segmenter().segment(title)].length).toBeLessThanOrEqual(80);
        const line = message.replace(/[\s\p{Cc}]+/gu, ' ').trim();
        expect(line.startsWith(title.replace(/…$/, '')) || title.endsWith('…')).toBe(true);
      }),
    );
  });
});
