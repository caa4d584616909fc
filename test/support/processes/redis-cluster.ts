import { rm } from 'node:fs/promises';
import { Redis } from 'ioredis';
import { freePort } from '../../../scripts/services/free-port.mjs';
import { defineRedis } from '../../../scripts/services/start-redis.mjs';
import type { Service } from '../../../scripts/services/start-services.mjs';
import { parseRedisUrl, type RedisAddress } from '../../../src/storage/redis/redis-address.js';
import { expectSoon } from '../expect-soon.js';
import { newFolder } from '../suite.js';

const SLOTS = 16_384;
const MASTERS = 3;

export interface RedisCluster {
  url: string;
  address: RedisAddress;
  masters: readonly Service[];
  replicas: readonly Service[];
  close(): Promise<void>;
}

/** Three masters that share the slots; with replicas, one each, that take a dead master's place. */
export async function startRedisCluster({ hasReplicas = false } = {}): Promise<RedisCluster> {
  const folder = newFolder();
  const count = hasReplicas ? 2 * MASTERS : MASTERS;
  // The default, 10,000 above a node's port, is among the ports of outgoing connections.
  const busPorts = await Promise.all(Array.from({ length: count }, freePort));
  const services = await Promise.all(
    busPorts.map((busPort, index) =>
      defineRedis({
        folder,
        name: `node-${index}`,
        settings: {
          databases: '1',
          'cluster-enabled': 'yes',
          'cluster-port': String(busPort),
          'cluster-node-timeout': '1000',
          'cluster-replica-validity-factor': '0',
        },
      }),
    ),
  );
  const nodes: Redis[] = [];
  const close = async () => {
    await Promise.all(services.map((service) => service.stop('SIGKILL')));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await Promise.all(services.map((service) => service.start()));
    nodes.push(...services.map(({ port }) => new Redis(port)));
    await form(nodes, busPorts);
  } catch (error) {
    await close();
    throw error;
  } finally {
    for (const node of nodes) node.disconnect();
  }
  const url = `redis+cluster://${services.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  const address = parseRedisUrl(url);
  if (address === undefined) throw new Error(`${url} is no address`);
  const [masters, replicas] = [services.slice(0, MASTERS), services.slice(MASTERS)];
  return { url, address, masters, replicas, close };
}

async function form(nodes: readonly Redis[], busPorts: readonly number[]): Promise<void> {
  const [first, ...others] = nodes;
  await Promise.all(
    nodes.slice(0, MASTERS).map((node, index) => {
      const slotOf = (share: number) => Math.floor((share * SLOTS) / MASTERS);
      return node.call('cluster', 'addslotsrange', slotOf(index), slotOf(index + 1) - 1);
    }),
  );
  for (const [index, { options }] of others.entries()) {
    const busPort = busPorts[index + 1] ?? 0;
    await first?.call('cluster', 'meet', '127.0.0.1', options.port ?? 0, busPort);
  }
  await expectSoon(async () => {
    const states = await Promise.all(nodes.map((node) => node.call('cluster', 'nodes')));
    if (states.some((state) => linesOf(state).length < nodes.length)) throw new Error('not met');
  });
  for (const [index, replica] of nodes.slice(MASTERS).entries()) {
    const id = await nodes[index]?.call('cluster', 'myid');
    await replica.call('cluster', 'replicate', String(id));
  }
  await expectSoon(async () => {
    const states = await Promise.all(nodes.map((node) => node.call('cluster', 'info')));
    const views = await Promise.all(nodes.map((node) => node.call('cluster', 'nodes')));
    const isWhole = states.every((state) => String(state).includes('cluster_state:ok'));
    const replicas = views.map((view) =>
      linesOf(view).filter((line) => / (my.*)?slave /.test(line)),
    );
    if (isWhole && replicas.every(({ length }) => length === nodes.length - MASTERS)) return;
    throw new Error('The cluster is not whole');
  });
}

function linesOf(text: unknown): string[] {
  return String(text).trim().split('\n');
}
