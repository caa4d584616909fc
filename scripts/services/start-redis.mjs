/** Redis servers, and sentinels that watch them. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findPrograms } from './find-programs.mjs';
import { freePort } from './free-port.mjs';
import { defineService } from './run-service.mjs';

/**
 * Defines a server on a free port, which keeps nothing unless `settings` say so. Its files are in a new folder.
 *
 * @param {{folder: string, name?: string, port?: number, settings?: Record<string, string>}} options `settings`: of redis.conf.
 * @returns {Promise<import('./run-service.mjs').Service>}
 */
export async function defineRedis({ folder, name = 'redis', port, settings = {} }) {
  const data = path.join(folder, name);
  await mkdir(data);
  const own = port ?? (await freePort());
  const all = {
    port: String(own),
    bind: '127.0.0.1',
    databases: '64',
    save: '',
    dir: data,
    // A refused write is an error that shows; an evicted key would be a lost event.
    'maxmemory-policy': 'noeviction',
    daemonize: 'no',
    ...settings,
  };
  return defineService({
    name: 'redis-server',
    port: own,
    command: [
      findPrograms(() => undefined).redisServer,
      ...Object.entries(all).flatMap(([setting, value]) => [`--${setting}`, value]),
    ],
    cwd: data,
    stopSignal: 'SIGTERM',
  });
}

/**
 * Defines a sentinel that alone decides when a master is replaced, after a second without an answer.
 *
 * @param {{folder: string, master: string, masterPort: number}} options
 * @returns {Promise<import('./run-service.mjs').Service>}
 */
export async function defineSentinel({ folder, master, masterPort }) {
  const data = path.join(folder, 'sentinel');
  await mkdir(data);
  const port = await freePort();
  const file = path.join(data, 'sentinel.conf');
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${data}`,
    `sentinel monitor ${master} 127.0.0.1 ${masterPort} 1`,
    `sentinel down-after-milliseconds ${master} 1000`,
    `sentinel failover-timeout ${master} 5000`,
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  return defineService({
    name: 'sentinel',
    port,
    command: [findPrograms(() => undefined).redisServer, file, '--sentinel'],
    cwd: data,
    stopSignal: 'SIGTERM',
    ready: /\+monitor master/,
  });
}
