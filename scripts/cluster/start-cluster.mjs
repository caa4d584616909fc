/** Starts the topology of docker-compose.yml as plain processes. */
import { isFree } from '../services/free-port.mjs';
import { startServices } from '../services/start-services.mjs';
import { migrate } from './migrate.mjs';
import { startNginx } from './start-nginx.mjs';
import { startTurnpike } from './start-turnpike.mjs';

/**
 * @typedef {import('../services/start-server.mjs').Server} Server
 *
 * @typedef {object} Cluster
 * @property {string} url of the gateway, or of the first API where there is no nginx.
 * @property {boolean} hasGateway
 * @property {Server[]} apis
 * @property {Server[]} workers
 * @property {import('../services/start-services.mjs').Services} services
 * @property {() => Promise<void>} stop workers, gateway, APIs, services, in that order.
 */

/**
 * @param {{apis?: number, workers?: number, port?: number, environment?: Record<string, string>, log?: (line: string) => void}} [options]
 *   `port` of the gateway; default: a free port.
 * @returns {Promise<Cluster>} rejects if a process does not start, with none left running.
 */
export async function startCluster(options = {}) {
  const { apis: apiCount = 2, workers: workerCount = 2, port, environment = {} } = options;
  const { log = () => undefined } = options;
  if (port !== undefined && !(await isFree(port))) throw new Error(`Port ${port} is in use`);
  const stops = [];
  const stop = async () => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    const services = await startServices({ durable: true, log });
    stops.push(() => services.stop());
    const stores = { REDIS_URL: services.redisUrl, DATABASE_URL: services.databaseUrl };
    await migrate({ ...environment, ...stores });
    const startAll = async (role, count) => {
      const started = [];
      stops.push(() => Promise.all(started.map((one) => one.stop())));
      for (let i = 1; i <= count; i += 1) {
        const settings = { ...environment, ...stores, TURNPIKE_ROLE: role };
        started.push(await startTurnpike({ name: `${role}-${i}`, log, environment: settings }));
      }
      return started;
    };
    const apis = await startAll('api', apiCount);
    const gateway = await startNginx({
      apiUrls: apis.map(({ url }) => url),
      ...(port === undefined ? {} : { port }),
    });
    if (gateway !== undefined) stops.push(gateway.stop);
    const workers = await startAll('worker', workerCount);
    const url = gateway?.url ?? apis[0]?.url ?? '';
    return { url, hasGateway: gateway !== undefined, apis, workers, services, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
