import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { serverOptions, serverScript } from '../../scripts/services/start-command.mjs';
import { startProcess } from './start-process.mjs';

/** @typedef {import('./start-process.mjs').Process} Process */

/**
 * @typedef {object} Target
 * @property {string} name @property {string} wire @property {string} url
 * @property {string[]} urls of all its APIs, the first of which is `url`.
 * @property {Process[]} processes of the target alone.
 * @property {import('./open-credentials.mjs').Authorizations | undefined} [authorizations] headers of requests to it, one
 *   for each kind of credential; absent: they have none.
 * @property {boolean} usesServices whether it uses Redis and PostgreSQL.
 * @property {() => Promise<unknown>} stop
 *
 * @typedef {object} TargetSetup the options of all targets.
 * @property {string} folder for their files and all projects.
 * @property {string} modelUrl
 * @property {import('./open-stores.mjs').Store | undefined} stores
 * @property {string | undefined} cpuProfiles
 * @property {import('./open-credentials.mjs').CredentialKinds | undefined} [credentials] of the load; absent: none.
 */

const proxy = fileURLToPath(new URL('../proxy/serve-proxy.mjs', import.meta.url));

/** Variables for 500 turns at a time; all others have their defaults. */
const wide = { TURNPIKE_WORKER_CONCURRENCY: '600', TURNPIKE_LOG_LEVEL: 'error' };

export const targetNames = ['direct', 'proxy', 'embedded', 'distributed'];

/** @param {string} name @param {TargetSetup} setup @param {Record<string, string>} [env] @returns {Promise<Target>} */
export async function startTarget(name, setup, env = {}) {
  switch (name) {
    case 'direct':
      return { name, wire: 'direct', url: setup.modelUrl, urls: [setup.modelUrl], ...nothing };
    case 'proxy':
      return startProxy(setup);
    case 'embedded':
      return startEmbedded(setup, env);
    case 'distributed':
      return startDistributed(setup, env);
    default:
      throw new Error(`There is no target ${name}; there are ${targetNames.join(', ')}`);
  }
}

const nothing = { processes: [], usesServices: false, stop: async () => undefined };

/** @param {TargetSetup} setup @returns {Promise<Target>} */
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
    urls: [server.url],
    processes: [server],
    stop: server.stop,
  };
}

let embeddedFolders = 0;

/** @param {TargetSetup} setup @param {Record<string, string>} more @returns {Promise<Target>} */
async function startEmbedded(setup, more) {
  embeddedFolders += 1;
  const data = path.join(setup.folder, `embedded-${embeddedFolders}`);
  await mkdir(data);
  const store = { TURNPIKE_DATA_DIR: data };
  // A server with an issuer makes a key for an admin alone; without the server, the command line makes it.
  const authorizations = await setup.credentials?.authorizations(store);
  const server = await startTurnpike('embedded', setup, { ...store, ...more });
  return {
    ...nothing,
    authorizations,
    name: 'embedded',
    wire: 'turnpike',
    url: server.url,
    urls: [server.url],
    processes: [server],
    stop: server.stop,
  };
}

/**
 * @param {TargetSetup} setup @param {Record<string, string>} [more]
 * @param {number} [count] of workers, and of APIs.
 * @returns {Promise<Target>}
 */
export async function startDistributed(setup, more = {}, count = 1) {
  /** @type {Process[]} */
  const processes = [];
  const stop = async () => {
    for (const one of processes.splice(0)) await one.stop();
  };
  try {
    for (const role of /** @type {const} */ (['worker', 'api'])) {
      for (let number = count; number > 0; number -= 1) {
        const started = await startRole(role, setup, more);
        processes.unshift({ ...started, name: number === 1 ? role : `${role} ${number}` });
      }
    }
    const urls = processes.slice(0, count).map(({ url }) => url);
    const [url = ''] = urls;
    return {
      authorizations: await setup.credentials?.authorizations(storeOf(setup)),
      name: 'distributed',
      wire: 'turnpike',
      url,
      urls,
      processes: [...processes],
      usesServices: true,
      stop,
    };
  } catch (error) {
    // Also where a key could not be made: a server that nobody stops keeps the bench alive.
    await stop();
    throw error;
  }
}

/** Starts a process of a deployment. @param {'api' | 'worker'} role @param {TargetSetup} setup @param {Record<string, string>} [more] */
export function startRole(role, setup, more = {}) {
  return startTurnpike(role, setup, { ...storeOf(setup), TURNPIKE_ROLE: role, ...more });
}

/** @param {TargetSetup} setup */
function storeOf({ stores }) {
  if (stores === undefined) throw new Error('Redis and PostgreSQL were not started');
  const { redisUrl, databaseUrl, prefix } = stores;
  return { REDIS_URL: redisUrl, DATABASE_URL: databaseUrl, TURNPIKE_REDIS_PREFIX: prefix };
}

/** @param {string} name @param {TargetSetup} setup @param {Record<string, string>} env */
function startTurnpike(name, { folder, modelUrl, cpuProfiles, credentials }, env) {
  return startProcess({
    name,
    script: serverScript,
    nodeOptions: serverOptions,
    cwd: folder,
    cpuProfiles,
    env: {
      ...wide,
      ...credentials?.env,
      TURNPIKE_PORT: '0',
      ANTHROPIC_API_KEY: 'bench',
      TURNPIKE_PROVIDER_BASE_URL: modelUrl,
      TURNPIKE_EGRESS_ALLOW: new URL(modelUrl).origin,
      TURNPIKE_MODEL: 'claude-sonnet-5-5',
      ...env,
    },
  });
}
