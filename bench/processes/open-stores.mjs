import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { migrate } from '../../scripts/cluster/migrate.mjs';
import { startServices } from '../../scripts/services/start-services.mjs';

/** @typedef {{redisUrl: string, databaseUrl: string, prefix: string}} Store */

/**
 * Opens Redis and PostgreSQL with the durability of production, with a database and a key prefix of the
 * bench, which are removed at the end.
 *
 * @param {(line: string) => void} log
 */
export async function openStores(log) {
  const services = await startServices({ durable: true, log });
  const { redisUrl } = services;
  /** @type {string[]} */
  const opened = [];
  const close = async () => {
    try {
      for (const name of opened) {
        await dropKeys(redisUrl, name);
        await onDatabase(services.databaseUrl, (database) =>
          database.query(`DROP DATABASE ${name} WITH (FORCE)`),
        );
      }
    } finally {
      await services.stop();
    }
  };
  /** @param {string} name @returns {Promise<Store>} */
  const openStore = async (name) => {
    await onDatabase(services.databaseUrl, (database) => database.query(`CREATE DATABASE ${name}`));
    opened.push(name);
    const databaseUrl = new URL(services.databaseUrl);
    databaseUrl.pathname = `/${name}`;
    await migrate({ REDIS_URL: redisUrl, DATABASE_URL: databaseUrl.href });
    return { redisUrl, databaseUrl: databaseUrl.href, prefix: name };
  };
  const name = `bench_${process.pid}`;
  try {
    return {
      ...(await openStore(name)),
      /** Opens another database, with keys of its own. @param {string} suffix */
      openAnother: (suffix) => openStore(`${name}_${suffix}`),
      redisPid: () => services.redis?.pid(),
      postgresPid: () => services.postgres?.pid(),
      /** Removes all logs, as after their TTL. */
      dropKeys: () => dropKeys(redisUrl, name),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const startingUp = '57P03';
const startTimeoutMs = 30_000;

/** @param {string} url */
async function connect(url) {
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    const client = new Client({ connectionString: url });
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end();
      // The server listens before it accepts queries.
      if (/** @type {any} */ (error).code !== startingUp || Date.now() > deadline) throw error;
      await delay(50);
    }
  }
}

/** @param {string} url @param {(client: Client) => Promise<unknown>} work */
export async function onDatabase(url, work) {
  const client = await connect(url);
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** @param {string} url @param {string} prefix */
async function dropKeys(url, prefix) {
  const redis = new Redis(url);
  try {
    let cursor = '0';
    do {
      const [next, keys] = await redis.scan(cursor, 'MATCH', `*${prefix}*`, 'COUNT', 1_000);
      if (keys.length > 0) await redis.unlink(...keys);
      cursor = next;
    } while (cursor !== '0');
  } finally {
    redis.disconnect();
  }
}
