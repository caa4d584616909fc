import { createServer, type AddressInfo } from 'node:net';
import { expect, it, describe } from '@jest/globals';
import { closeRedis, connectRedis, checkVersion, mayEvict, parseInfo } from './redis-connection.js';

/** Answers every command, and closes the connection in place of an answer to QUIT. */
const hangsUp = createServer((socket) =>
  socket.on('data', (bytes) => {
    const text = bytes.toString();
    if (/\r\nquit\r\n/i.test(text)) socket.destroy();
    else socket.write('+OK\r\n'.repeat(text.match(/\*\d+\r\n/g)?.length ?? 0));
  }),
);

it('leaves no timer, for which a process would stay, where the server closed the connection', async () => {
  const timers = (): number =>
    process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  await new Promise<void>((resolve) => hangsUp.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = hangsUp.address() as AddressInfo;
    const redis = await connectRedis({
      address: { kind: 'server', url: `redis://127.0.0.1:${port}` },
      name: 'test',
      onError: () => undefined,
    });
    const before = timers();
    await closeRedis(redis);
    expect(redis.status).toBe('end');
    // Less where a timer of another kind was over meanwhile.
    expect(timers()).toBeLessThanOrEqual(before);
  } finally {
    await new Promise((resolve) => hangsUp.close(resolve));
  }
});

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
