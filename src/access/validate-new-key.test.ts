import { describe, expect, it } from '@jest/globals';
import { validateNewKey } from './validate-new-key.js';

describe('validateNewKey', () => {
  it('reads what is there', () => {
    expect(
      validateNewKey({
        principal: 'team@example.com',
        name: 'CI',
        scopes: ['admin', 'turns'],
        expiresIn: '12h',
        limits: { requestsPerMinute: 60, usdPerDay: 1.5 },
        projectRoots: ['/srv/a/../b/', '/srv/b'],
      }),
    ).toEqual({
      principal: 'team@example.com',
      name: 'CI',
      scopes: ['turns', 'admin'],
      expiresInMs: 12 * 3_600_000,
      limits: { requestsPerMinute: 60, usdPerDay: 1.5 },
      projectRoots: ['/srv/b'],
    });
  });

  it('needs a principal only', () => {
    expect(validateNewKey({ principal: 'a' })).toEqual({
      principal: 'a',
      name: '',
      scopes: undefined,
      expiresInMs: undefined,
      limits: {},
      projectRoots: [],
    });
  });

  it.each<[string, unknown]>([
    ['projectRoots', { principal: 'a', projectRoots: '/srv' }],
    ['projectRoots', { principal: 'a', projectRoots: ['srv'] }],
    ['projectRoots', { principal: 'a', projectRoots: ['/srv', 1] }],
    ['projectRoots', { principal: 'a', projectRoots: ['/s\0rv'] }],
    ['projectRoots', { principal: 'a', projectRoots: Array(21).fill('/srv') }],
    ['principal', {}],
    ['principal', { principal: '' }],
    ['principal', { principal: 'a b' }],
    ['principal', { principal: '-a' }],
    ['principal', { principal: 'x'.repeat(65) }],
    ['principal', { principal: ['a'] }],
    ['principal', []],
    ['name', { principal: 'a', name: 'x'.repeat(101) }],
    ['name', { principal: 'a', name: 'a\0' }],
    ['scopes', { principal: 'a', scopes: [] }],
    ['scopes', { principal: 'a', scopes: 'turns' }],
    ['scopes', { principal: 'a', scopes: ['turns', 'everything'] }],
    ['expiresIn', { principal: 'a', expiresIn: '0d' }],
    ['expiresIn', { principal: 'a', expiresIn: '3651d' }],
    ['expiresIn', { principal: 'a', expiresIn: 30 }],
    ['limits.tokensPerDay', { principal: 'a', limits: { tokensPerDay: 1.5 } }],
    ['limits.usdPerDay', { principal: 'a', limits: { usdPerDay: -1 } }],
    ['limits.usdPerDay', { principal: 'a', limits: { usdPerDay: '1' } }],
    ['turnsPerDay', { principal: 'a', limits: { turnsPerDay: 1 } }],
    ['expires', { principal: 'a', expires: '30d' }],
  ])('names %s: %j', (named, body) => {
    expect(() => validateNewKey(body)).toThrow(
      expect.objectContaining({ status: 400, message: expect.stringContaining(named) }),
    );
  });
});
