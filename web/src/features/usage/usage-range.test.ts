import { describe, expect, it } from '@jest/globals';
import { formatView, parseView } from './usage-range.js';

describe('the view of Usage in its URL', () => {
  it.each(['', 'range=7d&by=agent&show=tokens', 'of=all&by=principal&show=usd'])(
    'is read as it was written: %j',
    (query) => expect(formatView(parseView(query))).toBe(query),
  );

  it('says what to show where somebody chose it alone', () => {
    expect(parseView('').show).toBeUndefined();
    expect(parseView('show=usd').show).toBe('usd');
    expect(parseView('show=euros').show).toBeUndefined();
  });
});
