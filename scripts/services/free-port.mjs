import net from 'node:net';

/** A port of 127.0.0.1 that nobody listens on now. @returns {Promise<number>} */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {net.AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}

/**
 * Waits until something accepts connections.
 *
 * @param {number} port
 * @param {() => string | undefined} failure tells why it never will.
 * @param {number} [timeoutMs]
 */
export async function untilListening(port, failure, timeoutMs = 30_000) {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const reason = failure();
    if (reason !== undefined) throw new Error(reason);
    if (await accepts(port)) return;
    if (Date.now() > deadline)
      throw new Error(`Nothing listens on port ${port} after ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

function accepts(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
