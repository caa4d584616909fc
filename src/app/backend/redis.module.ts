import { Module } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { hostsOf, type RedisAddress } from '../../storage/redis/redis-address.js';
import {
  askServers,
  checkVersion,
  mayEvict,
  closeRedis,
  connectRedis,
  connectSubscriber,
  REDIS,
  type ConnectOptions,
  type RedisClient,
  RedisSubscriber,
} from '../../storage/redis/redis-connection.js';
import { UnreachableError } from '../../storage/database-errors.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { ResourceStack } from '../../platform/async/resource-stack.js';

type RedisConfig = Pick<
  Config,
  'redis' | 'redisSentinelPassword' | 'redisAuthority' | 'redisCertificate' | 'redisKey'
>;

/**
 * The process's two connections to Redis. A start fails with UnreachableError where it does not
 * answer, and a server that may drop keys is warned of.
 */
@Module({
  providers: [
    {
      provide: REDIS,
      inject: [CONFIG, LOGGER, ResourceStack],
      useFactory: (config: RedisConfig, logger: Logger, resources: ResourceStack) =>
        resources.add(
          connect(config, async (address) => {
            const client = await connectRedis(optionsOf(address, config, logger, 'turnpike'));
            await inspect(client, logger).catch(async (error: unknown) => {
              await closeRedis(client);
              throw error;
            });
            return client;
          }),
          closeRedis,
        ),
    },
    {
      provide: RedisSubscriber,
      inject: [CONFIG, LOGGER, ResourceStack, REDIS],
      useFactory: async (
        config: RedisConfig,
        logger: Logger,
        resources: ResourceStack,
        client: RedisClient,
      ) => {
        const connecting = connect(config, (address) =>
          connectSubscriber(client, optionsOf(address, config, logger, 'turnpike-subscriber')),
        );
        return new RedisSubscriber(await resources.add(connecting, closeRedis));
      },
    },
  ],
  exports: [REDIS, RedisSubscriber],
})
export class RedisModule {}

async function connect<Client>(
  { redis: address }: RedisConfig,
  open: (address: RedisAddress) => Promise<Client>,
): Promise<Client> {
  if (address === undefined) throw new Error('REDIS_URL is not set');
  try {
    return await open(address);
  } catch (error) {
    throw new UnreachableError('REDIS_URL', hostsOf(address), error);
  }
}

function optionsOf(
  address: RedisAddress,
  config: RedisConfig,
  logger: Logger,
  name: string,
): ConnectOptions {
  const { redisAuthority: authority, redisCertificate: certificate, redisKey: key } = config;
  return {
    address,
    files: { authority, certificate, key },
    sentinelPassword: config.redisSentinelPassword,
    name,
    onError: (error) =>
      logger.warn(
        { service: 'Redis', error },
        'Redis does not answer; its client connects again by itself',
      ),
  };
}

/** @throws Error where a server is too old. */
async function inspect(client: RedisClient, logger: Logger): Promise<void> {
  const servers = await askServers(client);
  servers.forEach(checkVersion);
  for (const maxmemoryPolicy of new Set(
    servers.filter(mayEvict).map((one) => one.evictionPolicy),
  )) {
    logger.warn(
      { maxmemoryPolicy },
      'Redis drops keys when its memory is full; turns whose events or tokens it drops go on later, from the database. Set its maxmemory-policy to noeviction',
    );
  }
}
