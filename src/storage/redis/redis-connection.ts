import { readFile } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { Cluster, Redis } from 'ioredis';
import { compact } from '../../platform/compact.js';
import { retryDelay, type RetryDelays, withTimeout } from '../../platform/async/deadlines.js';
import { usesTls, type RedisAddress, type RedisHost } from './redis-address.js';

/** A connection for commands: to a server, to the master that sentinels name, or to a cluster. */
export type RedisClient = Redis | Cluster;

/** Files of TLS, as PEM; a server's certificate is checked against public authorities by default. */
export interface TlsFiles {
  authority?: string | undefined;
  certificate?: string | undefined;
  key?: string | undefined;
}

export interface ConnectOptions {
  address: RedisAddress;
  files?: TlsFiles;
  sentinelPassword?: string | undefined;
  /** Shown by `CLIENT LIST`. */
  name: string;
  /** Called when the connection broke or was refused; reconnecting never ends. */
  onError(error: Error): void;
}

/** Injects the process's connection to Redis for commands. */
export const REDIS = Symbol('Redis');

/** Timeout of the first connection, in ms. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Delays before a reconnection. */
const retryDelays: RetryDelays = { firstMs: 100, maxMs: 1_000 };

/** Timeout of an orderly close, in ms. */
const QUIT_WAIT_MS = 1_000;

const retryStrategy = (tries: number) => retryDelay(retryDelays, tries - 1, Math.random());

/**
 * Connects for commands. A broken connection is made again: commands wait for it, and commands without an
 * answer are sent again, which all of ours allow.
 *
 * @throws Error when Redis does not answer in 10 s.
 */
export async function connectRedis(options: ConnectOptions): Promise<RedisClient> {
  const { address, onError } = options;
  const redisOptions = await optionsOf(options);
  return untilConnected(
    address.kind === 'cluster'
      ? openCluster(address.hosts, redisOptions, onError)
      : openServer(address, redisOptions, onError),
  );
}

/**
 * Connects for subscriptions: to the same Redis, or to any node of a cluster, which passes on what is published
 * at the others. A connection to a node that breaks is made again to another.
 *
 * @param client for commands.
 */
export async function connectSubscriber(
  client: RedisClient,
  options: ConnectOptions,
): Promise<Redis> {
  const { address, onError } = options;
  const redisOptions = await optionsOf(options);
  if (address.kind !== 'cluster') {
    return untilConnected(openServer(address, redisOptions, onError));
  }
  const node = (): { host?: string; port?: number } => {
    const nodes = client instanceof Cluster ? client.nodes() : [];
    const { host, port } = nodes[Math.floor(Math.random() * nodes.length)]?.options ?? {};
    return compact({ host, port });
  };
  const redis = new Redis({
    ...redisOptions,
    ...node(),
    retryStrategy: (tries) => {
      Object.assign(redis.options, node());
      return retryStrategy(tries);
    },
  });
  redis.on('error', onError);
  return untilConnected(redis);
}

async function optionsOf({ address, files = {}, name, sentinelPassword }: ConnectOptions) {
  const [ca, cert, key] = await Promise.all(
    [files.authority, files.certificate, files.key].map((file) =>
      file === undefined ? Promise.resolve(undefined) : readFile(file),
    ),
  );
  const tls = compact({ ca, cert, key });
  return {
    lazyConnect: true,
    connectionName: name,
    // Commands wait without end, as BullMQ's workers require.
    maxRetriesPerRequest: null,
    autoResubscribe: false,
    keepAlive: 10_000,
    ...(usesTls(address) ? { tls } : {}),
    ...(address.kind === 'server'
      ? {}
      : compact({ username: address.username, password: address.password, sentinelPassword })),
  };
}

type Opened = Awaited<ReturnType<typeof optionsOf>>;

function openServer(
  address: Exclude<RedisAddress, { kind: 'cluster' }>,
  opened: Opened,
  onError: (error: Error) => void,
): Redis {
  const options = { ...opened, retryStrategy };
  const redis =
    address.kind === 'server'
      ? new Redis(address.url, options)
      : new Redis({
          ...options,
          sentinels: [...address.hosts],
          name: address.master,
          db: address.database,
          sentinelRetryStrategy: retryStrategy,
          enableTLSForSentinelMode: address.isTls,
          ...(opened.tls === undefined ? {} : { sentinelTLS: opened.tls }),
          // Not the client's failover detector, which ends a connection for good that is being made.
          reconnectOnError: isReplaced,
        });
  redis.on('error', onError);
  redis.on('connect', () => gatherWrites(redis.stream, process.nextTick));
  return redis;
}

function openCluster(
  hosts: readonly RedisHost[],
  redisOptions: Opened,
  onError: (error: Error) => void,
): Cluster {
  const cluster = new Cluster([...hosts], {
    lazyConnect: true,
    redisOptions,
    clusterRetryStrategy: retryStrategy,
    // Commands wait for a cluster that fails over, as they wait for a server.
    maxRedirections: Number.MAX_SAFE_INTEGER,
    slotsRefreshTimeout: 2_000,
    // A certificate is made for a name: a node is reached by the name that the cluster announces, not by its address.
    dnsLookup: (address, callback) => callback(null, address),
  });
  cluster.on('error', onError);
  cluster.on('node error', onError);
  cluster.on('+node', (node: Redis) =>
    node.on('connect', () => gatherWrites(node.stream, setImmediate)),
  );
  return cluster;
}

/** Whether a server became a replica: the command is sent again to the master. */
function isReplaced({ message }: Error): 2 | false {
  return message.startsWith('READONLY') ? 2 : false;
}

async function untilConnected<Client extends RedisClient>(client: Client): Promise<Client> {
  let reason: Error | undefined;
  const keep = (error: Error): void => void (reason = error);
  for (const event of ['error', 'node error']) client.on(event, keep);
  try {
    const answer = client.connect().then(() => client.ping());
    if (await withTimeout(CONNECT_TIMEOUT_MS, answer)) return client;
    const cause = reason === undefined ? '' : ` (${reason.message})`;
    throw new Error(`no answer in ${CONNECT_TIMEOUT_MS} ms${cause}`);
  } catch (error) {
    client.disconnect();
    // A connection that is refused says only that it is closed.
    throw isConnectionClosed(error) ? (reason ?? error) : error;
  } finally {
    for (const event of ['error', 'node error']) client.off(event, keep);
  }
}

/** Closes a connection: in order when the server answers, at once when it does not. */
export async function closeRedis(redis: RedisClient): Promise<void> {
  try {
    if (redis.status === 'ready') await withTimeout(QUIT_WAIT_MS, redis.quit());
  } catch (error) {
    if (!isConnectionClosed(error)) throw error;
  } finally {
    // The client would keep the process for two seconds more, for a connection that has ended.
    if (redis.status !== 'end') redis.disconnect();
  }
}

/** Time after which what a try has written is gone, in ms. */
const TRY_TTL_MS = 1_000;

/**
 * Writes a key that ends by itself.
 *
 * @throws Error where Redis cannot be reached, is full, or is a replica.
 */
export async function tryRedisWrite(redis: RedisClient, key: string): Promise<void> {
  // A command would wait for the connection.
  if (redis.status !== 'ready') throw new Error('Redis cannot be reached');
  await redis.set(key, '', 'PX', TRY_TTL_MS);
}

/** Whether a command failed because its connection was closed, by either side. */
export function isConnectionClosed(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Connection is closed');
}

export type RedisScript = (...keysAndArguments: (string | number)[]) => Promise<unknown>;

/**
 * Makes a Lua script callable; its text is sent only to a server that lacks it.
 *
 * @param keys number of its keys; absent: the first argument of each call is their number.
 */
export function defineScript(
  redis: RedisClient,
  name: string,
  { lua, keys }: { lua: string; keys?: number },
): RedisScript {
  redis.defineCommand(name, { lua, ...compact({ numberOfKeys: keys }) });
  const command = Reflect.get(redis, name) as RedisScript;
  return (...args) => Reflect.apply(command, redis, args);
}

/**
 * Sends the writes until `later` in one piece: a system call costs more than a command. (The client's own
 * pipelining loses a script whenever the server does.)
 *
 * @param later for a server, the end of the callback: what hundreds of turns write goes together before, in a
 *   script's call. For a node of a cluster, to which each turn writes alone, the end of the event loop's turn.
 */
function gatherWrites(stream: Writable, later: (flush: () => void) => void): void {
  const write = stream.write.bind(stream);
  let isGathering = false;
  const flush = (): void => {
    isGathering = false;
    stream.uncork();
  };
  const gathered = (...args: unknown[]): unknown => {
    if (!isGathering) {
      isGathering = true;
      stream.cork();
      later(flush);
    }
    return Reflect.apply(write, stream, args);
  };
  stream.write = gathered as typeof stream.write;
}

/** The oldest server that the queue's scripts are made for. */
const MIN_VERSION = [6, 2] as const;

/** A server's facts, from its answer to `INFO`. */
export interface ServerInfo {
  version: string;
  /** The keys that it drops when its memory is full, as in `noeviction`. */
  evictionPolicy: string | undefined;
}

export function parseInfo(info: string): ServerInfo {
  const field = (name: string) => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1];
  return { version: field('redis_version') ?? '', evictionPolicy: field('maxmemory_policy') };
}

/** @throws Error where the server is too old. */
export function checkVersion({ version }: ServerInfo): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [minMajor, minMinor] = MIN_VERSION;
  if (major > minMajor || (major === minMajor && minor >= minMinor)) return;
  throw new Error(`it is Redis ${version}, and Turnpike needs ${MIN_VERSION.join('.')} or later`);
}

/** Whether a server drops keys when its memory is full, where others refuse writes. */
export function mayEvict({ evictionPolicy }: ServerInfo): boolean {
  return evictionPolicy !== undefined && evictionPolicy !== 'noeviction';
}

/** Asks the server, or each node of a cluster that takes writes. */
export function askServers(client: RedisClient): Promise<ServerInfo[]> {
  const servers = client instanceof Cluster ? client.nodes('master') : [client];
  return Promise.all(servers.map(async (server) => parseInfo(await server.info())));
}

export interface ChannelListener {
  onMessage(message: string): void;
  /** Called when messages may have been missed. */
  onMissed(): void;
}

/** Subscribes to all channels of a process on one connection, and reports its outages. */
export class RedisSubscriber {
  readonly #channels = new Map<string, Set<ChannelListener>>();

  constructor(private readonly redis: Redis) {
    redis.on('message', (channel: string, message: string) => {
      for (const listener of this.#channels.get(channel) ?? []) listener.onMessage(message);
    });
    // A connection that closes meanwhile reconnects, and subscribes again.
    redis.on('ready', () => void this.#resubscribe().catch(onConnectionEnd));
  }

  /**
   * Subscribes to a channel. A subscription during an outage begins at the server's return, with a
   * call of `onMissed`.
   *
   * @returns a function that unsubscribes.
   */
  async subscribe(channel: string, listener: ChannelListener): Promise<() => void> {
    const listeners = this.#channels.get(channel) ?? new Set();
    const isFirst = listeners.size === 0;
    this.#channels.set(channel, listeners.add(listener));
    // A connection that is closed, or closes meanwhile, subscribes to every channel when it reconnects.
    if (isFirst && this.redis.status === 'ready') {
      await this.redis.subscribe(channel).catch(onConnectionEnd);
    }
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0 || this.#channels.get(channel) !== listeners) return;
      this.#channels.delete(channel);
      // A connection that closes has no subscriptions left.
      this.redis.unsubscribe(channel).catch(onConnectionEnd);
    };
  }

  async #resubscribe(): Promise<void> {
    const channels = [...this.#channels.keys()];
    if (channels.length > 0) await this.redis.subscribe(...channels);
    for (const channel of channels) {
      for (const listener of this.#channels.get(channel) ?? []) listener.onMissed();
    }
  }
}

/**
 * Ignores a closed connection, which these commands need no answer from. @throws any other error.
 */
function onConnectionEnd(error: Error): void {
  if (!isConnectionClosed(error)) throw error;
}
