import { createServer, type AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { closeRedis, connectRedis } from './redis-connection.js';

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
