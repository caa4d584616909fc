/** The topology of docker-compose.yml as plain processes. */
import { startServices } from '../services/start-services.mjs';
import { startNginx } from './start-nginx.mjs';
import { startProcess } from './start-process.mjs';

/**
 * @typedef {import('./start-process.mjs').ClusterProcess} ClusterProcess
 *
 * @typedef {object} Cluster
 * @property {string} url of the gateway, or of the first API where there is no nginx.
 * @property {boolean} hasGateway
 * @property {ClusterProcess[]} apis
 * @property {ClusterProcess[]} workers
 * @property {import('../services/start-services.mjs').Services} services
 * @property {(role: 'api' | 'worker', name: string) => Promise<ClusterProcess>} start one more process.
 * @property {() => Promise<void>} stop workers, gateway, APIs, services, in that order.
 */

/**
 * @param {{apis?: number, workers?: number, port?: number, environment?: Record<string, string>, say?: (line: string) => void}} [options]
 * @returns {Promise<Cluster>}
 */
export async function startCluster(options = {}) {
  const { apis: apiCount = 2, workers: workerCount = 2, port, environment = {} } = options;
  const { say = () => undefined } = options;
  const stops = [];
  const stop = async () => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    const services = await startServices({ durable: true, say });
    stops.push(() => services.stop());
    const shared = { REDIS_URL: services.redisUrl, DATABASE_URL: services.databaseUrl };
    const start = (role, name) =>
      startProcess({ name, say, environment: { ...shared, ...environment, TURNPIKE_ROLE: role } });
    const startAll = async (role, count) => {
      const started = [];
      for (let i = 1; i <= count; i += 1) started.push(await start(role, `${role}-${i}`));
      stops.push(() => Promise.all(started.map((one) => one.stop())));
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
    return { url, hasGateway: gateway !== undefined, apis, workers, services, start, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
