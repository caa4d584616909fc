import { describe, expect, it } from '@jest/globals';
import { LabelValues } from './metrics.js';

describe('LabelValues', () => {
  it('keeps the first values apart, and no others', () => {
    const values = new LabelValues(2);
    const given = ['a', 'b', 'a', 'c', 'b', 'd'];
    expect(given.map((value) => values.of(value))).toEqual(['a', 'b', 'a', 'other', 'b', 'other']);
  });
});
