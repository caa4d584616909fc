import { createServer, type RequestListener } from 'node:http';
import { once } from 'node:events';
import type { MetricsService } from '../operations/metrics-service.js';
import type { Logger } from '../platform/logger.js';

export interface ServeMetricsOptions {
  metrics: Pick<MetricsService, 'text' | 'type'>;
  logger: Logger;
  host: string;
  port: number;
}

/**
 * Serves `/metrics` on a port of its own, without keys: who may reach the port is up to the network.
 *
 * @throws Error with code EADDRINUSE when the port is in use.
 */
export async function serveMetrics({
  metrics,
  logger,
  host,
  port,
}: ServeMetricsOptions): Promise<{ port: number; close(): Promise<void> }> {
  const answer: RequestListener = (request, response) => {
    if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404, { 'Content-Type': 'text/plain' });
      response.end('This port serves GET /metrics alone.\n');
      return;
    }
    metrics.text().then(
      (text) => response.writeHead(200, { 'Content-Type': metrics.type }).end(text),
      (error: unknown) => {
        logger.error({ error }, 'could not collect metrics; this scrape gets 500');
        response.writeHead(500).end();
      },
    );
  };
  const server = createServer(answer).listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
