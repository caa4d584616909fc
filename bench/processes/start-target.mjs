import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProcess } from './start-process.mjs';

/** @typedef {import('./start-process.mjs').Process} Process */

/**
 * @typedef {object} Target
 * @property {string} name @property {string} wire @property {string} url
 * @property {Process[]} processes its own ones.
 * @property {boolean} usesServices whether Redis and PostgreSQL work for it.
 * @property {() => Promise<unknown>} stop
 *
 * @typedef {object} Place what targets are started with.
 * @property {string} folder for their files; every turn's project is in it.
 * @property {string} modelUrl
 * @property {{redisUrl: string, databaseUrl: string, prefix: string} | undefined} stores
 * @property {string | undefined} cpuProfiles
 */

const root = fileURLToPath(new URL('../..', import.meta.url));
const turnpike = path.join(root, 'dist/main.js');
const proxy = fileURLToPath(new URL('../proxy/serve-proxy.mjs', import.meta.url));

/** What the server needs to take 500 turns at a time. The rest is as it comes. */
const wide = { TURNPIKE_WORKER_CONCURRENCY: '600', TURNPIKE_LOG_LEVEL: 'error' };

export const targetNames = ['direct', 'proxy', 'embedded', 'distributed'];

/** @param {string} name @param {Place} place @param {Record<string, string>} [env] @returns {Promise<Target>} */
export async function startTarget(name, place, env = {}) {
  switch (name) {
    case 'direct':
      return { name, wire: 'direct', url: place.modelUrl, ...nothing };
    case 'proxy':
      return startProxy(place);
    case 'embedded':
      return startEmbedded(place, env);
    case 'distributed':
      return startDistributed(place, env);
    default:
      throw new Error(`There is no target ${name}; there are ${targetNames.join(', ')}`);
  }
}

const nothing = { processes: [], usesServices: false, stop: async () => undefined };

/** @param {Place} place @returns {Promise<Target>} */
async function startProxy({ modelUrl, folder, cpuProfiles }) {
  const env = { MODEL_URL: modelUrl };
  const server = await startProcess({
    name: 'proxy',
    script: proxy,
    cwd: folder,
    env,
    cpuProfiles,
  });
  return {
    ...nothing,
    name: 'proxy',
    wire: 'proxy',
    url: server.url,
    processes: [server],
    stop: server.stop,
  };
}

let embeddedFolders = 0;

/** @param {Place} place @param {Record<string, string>} more @returns {Promise<Target>} */
async function startEmbedded(place, more) {
  embeddedFolders += 1;
  const data = path.join(place.folder, `embedded-${embeddedFolders}`);
  await mkdir(data);
  const server = await startTurnpike('embedded', place, { TURNPIKE_DATA_DIR: data, ...more });
  return {
    ...nothing,
    name: 'embedded',
    wire: 'turnpike',
    url: server.url,
    processes: [server],
    stop: server.stop,
  };
}

/** @param {Place} place @param {Record<string, string>} more @returns {Promise<Target>} */
async function startDistributed(place, more) {
  const worker = await startRole('worker', place, more);
  try {
    const api = await startRole('api', place, more);
    return {
      name: 'distributed',
      wire: 'turnpike',
      url: api.url,
      processes: [api, worker],
      usesServices: true,
      stop: async () => {
        await api.stop();
        await worker.stop();
      },
    };
  } catch (error) {
    await worker.stop();
    throw error;
  }
}

/** One process of a deployment. @param {'api' | 'worker'} role @param {Place} place @param {Record<string, string>} [more] */
export function startRole(role, place, more = {}) {
  if (place.stores === undefined) throw new Error('Redis and PostgreSQL were not started');
  const { redisUrl, databaseUrl, prefix } = place.stores;
  return startTurnpike(role, place, {
    REDIS_URL: redisUrl,
    DATABASE_URL: databaseUrl,
    TURNPIKE_REDIS_PREFIX: prefix,
    TURNPIKE_ROLE: role,
    ...more,
  });
}

/** @param {string} name @param {Place} place @param {Record<string, string>} env */
function startTurnpike(name, { folder, modelUrl, cpuProfiles }, env) {
  return startProcess({
    name,
    script: turnpike,
    cwd: folder,
    cpuProfiles,
    env: {
      ...wide,
      TURNPIKE_PORT: '0',
      ANTHROPIC_API_KEY: 'bench',
      TURNPIKE_PROVIDER_BASE_URL: modelUrl,
      TURNPIKE_EGRESS_ALLOW: new URL(modelUrl).origin,
      TURNPIKE_MODEL: 'claude-sonnet-5-5',
      ...env,
    },
  });
}
