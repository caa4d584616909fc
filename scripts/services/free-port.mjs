import { readFileSync } from 'node:fs';
import { randomInt } from 'node:crypto';
import net from 'node:net';

const LOWEST = 20_000;
const ATTEMPTS = 50;

/**
 * A port of 127.0.0.1 without a listener, outside of the range of outgoing connections: a client that
 * reconnects while its server is down could otherwise get the server's own port and block its restart.
 *
 * @returns {Promise<number>}
 */
export async function freePort() {
  const end = firstOutgoingPort();
  if (end <= LOWEST) throw new Error(`Outgoing connections are given every port from ${end} on`);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = randomInt(LOWEST, end);
    if (await isFree(port)) return port;
  }
  throw new Error(`No free port from ${LOWEST} to ${end - 1} on 127.0.0.1 in ${ATTEMPTS} attempts`);
}

/** The first port for outgoing connections; Linux has a setting, elsewhere the range begins higher. */
function firstOutgoingPort() {
  if (process.platform !== 'linux') return 32_768;
  return Number(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s+/)[0]);
}

/** Whether the port has no listener. @param {number} port @returns {Promise<boolean>} */
export function isFree(port) {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', (error) => {
      if ('code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES')) {
        resolve(false);
      } else reject(error);
    });
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/**
 * Waits until something accepts connections.
 *
 * @param {number} port
 * @param {() => string | undefined} failure the reason why it never will, once there is one.
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
