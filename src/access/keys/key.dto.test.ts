import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { takeRequest } from '../../http/request.pipe.js';
import { NewKeyDto } from './key.dto.js';

describe('NewKeyDto', () => {
  it('reads what is there', async () => {
    expect(
      await takeRequest(NewKeyDto, {
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
      scopes: ['admin', 'turns'],
      expiresIn: '12h',
      limits: { requestsPerMinute: 60, usdPerDay: 1.5 },
      projectRoots: ['/srv/b'],
    });
  });

  it('needs a principal only', async () => {
    expect(await takeRequest(NewKeyDto, { principal: 'a' })).toEqual({
      principal: 'a',
      name: '',
      limits: {},
      projectRoots: [],
    });
  });

  it.each<[string, unknown]>([
    ['projectRoots', { principal: 'a', projectRoots: '/srv' }],
    ['projectRoots', { principal: 'a', projectRoots: ['srv'] }],
    ['projectRoots', { principal: 'a', projectRoots: ['/srv', 1] }],
    ['projectRoots', { principal: 'a', projectRoots: ['/s\0rv'] }],
    [
      'projectRoots',
      { principal: 'a', projectRoots: Array.from({ length: 21 }, (_, n) => `/srv${n}`) },
    ],
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
    ["'limits': tokensPerDay must", { principal: 'a', limits: { tokensPerDay: 1.5 } }],
    ["'limits': usdPerDay must", { principal: 'a', limits: { usdPerDay: -1 } }],
    ["'limits': usdPerDay must", { principal: 'a', limits: { usdPerDay: '1' } }],
    ['turnsPerDay', { principal: 'a', limits: { turnsPerDay: 1 } }],
    ['expires', { principal: 'a', expires: '30d' }],
  ])('names %s: %j', async (named, body) => {
    await expect(takeRequest(NewKeyDto, body)).rejects.toEqual(
      expect.objectContaining({ status: 400, message: expect.stringContaining(named) }),
    );
  });
});
