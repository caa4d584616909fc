import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * Serves requests of the cluster on this machine, for as long as the run. It outlives all servers.
 *
 * @param {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => Promise<void>} take
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function listen(take) {
  const server = createServer((request, response) => {
    // A sender that dies breaks its request off.
    take(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return {
    url: `http://127.0.0.1:${address.port}/`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
