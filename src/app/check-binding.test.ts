import { describe, expect, it } from '@jest/globals';
import { openAccess } from '../../test/support/access/open-access.js';
import { useDatabase } from '../../test/support/database/database.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import { parseConfig } from '../config/config.js';
import { findBindingFault, requireKey } from './check-access.js';
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

describe('requireKey', () => {
  const database = useDatabase();

  it('says that the host has no address', async () => {
    const environment = { TURNPIKE_HOST: 'nope.invalid', TURNPIKE_ALLOW_KEYLESS: 'true' };
    const config = parseConfig(environment);
    const of = { db: database.db, clock: new ManualClock() };
    const defaultLimits = {
      requestsPerMinute: 0,
      concurrentTurns: 0,
      tokensPerDay: 0,
      usdPerDay: 0,
    };
    const rules = { ...config, takesFirstKey: false, defaultLimits };
    const { store, keyService: keys, authenticator } = openAccess(of, rules);
    const checked = requireKey(config, { store, keys, authenticator, showFirstKey: undefined });
    await expect(checked).rejects.toThrow(
      'TURNPIKE_HOST is "nope.invalid", a name that has no address here',
    );
  });
});
