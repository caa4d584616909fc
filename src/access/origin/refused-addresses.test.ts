import { describe, expect, it } from '@jest/globals';
import { MOST_WRONG_KEYS, networkOf, RefusedAddresses } from './check-origin.js';

describe('RefusedAddresses', () => {
  it('admits an address until it has sent too many wrong keys, and other addresses after', async () => {
    const refused = new RefusedAddresses();
    for (let i = 0; i < MOST_WRONG_KEYS; i += 1) {
      expect(await refused.waitOf('10.0.0.1')).toBeUndefined();
      await refused.add('10.0.0.1');
    }
    expect(await refused.waitOf('10.0.0.1')).toBeGreaterThan(0);
    expect(await refused.waitOf('10.0.0.2')).toBeUndefined();
  });

  it('notes one refusal of an address', async () => {
    const refused = new RefusedAddresses();
    const notes = await Promise.all([1, 2, 3].map(() => refused.shouldNote('10.0.0.1')));
    expect(notes.filter(Boolean)).toHaveLength(1);
    expect(await refused.shouldNote('10.0.0.2')).toBe(true);
  });
});

describe('networkOf', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2:ffff::1', '2001:db8:1:2'],
    ['', ''],
  ])('of %j is %j', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
