import { describe, expect, it } from '@jest/globals';
import { findBindingFault } from './check-access.js';
import { isLoopback } from '../platform/net/addresses.js';

describe('isLoopback', () => {
  it.each([
    '127.0.0.1',
    '127.8.9.1',
    '::1',
    '[::1]',
    'localhost',
    'LOCALHOST',
    'localhost.',
    '::ffff:127.0.0.1',
  ])('is %s', (host) => {
    expect(isLoopback(host)).toBe(true);
  });

  it.each(['0.0.0.0', '::', '10.0.0.1', 'example.com', '127.0.0.1.evil.example', ''])(
    'is not %j',
    (host) => {
      expect(isLoopback(host)).toBe(false);
    },
  );
});

describe('findBindingFault', () => {
  const asked = { host: '0.0.0.0', allowKeyless: false, hasWayIn: false };

  it('says what to do about a server that anybody would reach', () => {
    expect(findBindingFault(asked)).toMatch(/turnpike keys create[^]*TURNPIKE_ALLOW_KEYLESS/);
  });

  it.each([{ host: '127.0.0.1' }, { allowKeyless: true }, { hasWayIn: true }])(
    'finds none with %j',
    (more) => {
      expect(findBindingFault({ ...asked, ...more })).toBeUndefined();
    },
  );
});
