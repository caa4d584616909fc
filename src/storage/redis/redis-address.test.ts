import { describe, expect, it } from '@jest/globals';
import { hostsOf, parseRedisUrl } from './redis-address.js';

describe('a URL of Redis', () => {
  it.each(['redis://127.0.0.1:6379', 'rediss://:secret@cache:6380/2'])(
    '%s is one server',
    (url) => {
      expect(parseRedisUrl(url)).toEqual({ kind: 'server', url });
    },
  );

  it('names sentinels, their master and its database', () => {
    expect(parseRedisUrl('redis+sentinel://user:p%40ss@a:26380,b/main/3')).toEqual({
      kind: 'sentinel',
      hosts: [
        { host: 'a', port: 26_380 },
        { host: 'b', port: 26_379 },
      ],
      master: 'main',
      database: 3,
      username: 'user',
      password: 'p@ss',
      isTls: false,
    });
  });

  it('names nodes of a cluster', () => {
    expect(parseRedisUrl('rediss+cluster://:pa:ss@a,[::1]:7000')).toEqual({
      kind: 'cluster',
      hosts: [
        { host: 'a', port: 6_379 },
        { host: '::1', port: 7_000 },
      ],
      password: 'pa:ss',
      isTls: true,
    });
  });

  it.each([
    'redis+sentinel://a:26379',
    'redis+sentinel://a,,b/main',
    'redis+sentinel://a/main/one',
    'redis+cluster://a/0',
    'redis+cluster://',
    'redis+cluster://a:port',
    'redis+other://a',
  ])('%s is refused', (url) => {
    expect(parseRedisUrl(url)).toBeUndefined();
  });

  it('is shown without its secrets', () => {
    const shown = (url: string) => {
      const address = parseRedisUrl(url);
      return address && hostsOf(address);
    };
    expect(shown('redis://:secret@cache:6380/2')).toBe('cache:6380');
    expect(shown('redis+cluster://:secret@a:1,b:2')).toBe('a:1,b:2');
    for (const no of ['nonsense', 'http://x', 'redis:///1']) expect(shown(no)).toBeUndefined();
  });
});
