import { describe, expect, it } from '@jest/globals';
import { checkVersion, mayEvict, parseInfo } from './redis-connection.js';

const info = (version: string, policy: string) =>
  `# Server\r\nredis_version:${version}\r\nos:Linux\r\n# Memory\r\nmaxmemory_policy:${policy}\r\n`;

describe('what a server says of itself', () => {
  it('has its version and what it does when it is full', () => {
    expect(parseInfo(info('7.0.15', 'volatile-lru'))).toEqual({
      version: '7.0.15',
      evictionPolicy: 'volatile-lru',
    });
  });

  it.each(['6.2.0', '7.0.15', '10.0.0'])('is taken with version %s', (version) => {
    expect(() => checkVersion(parseInfo(info(version, 'noeviction')))).not.toThrow();
  });

  it.each(['6.0.16', '5.0.7', ''])('is refused with version "%s"', (version) => {
    expect(() => checkVersion(parseInfo(info(version, 'noeviction')))).toThrow('6.2 or later');
  });

  it('is told about where it may drop keys', () => {
    const { evictionPolicy } = parseInfo(info('7.0.15', 'allkeys-lru'));
    const server = { version: '7.0.15', evictionPolicy };
    expect(mayEvict(server)).toBe(true);
    expect(mayEvict({ ...server, evictionPolicy: 'noeviction' })).toBe(false);
    expect(mayEvict({ ...server, evictionPolicy: undefined })).toBe(false);
  });
});
