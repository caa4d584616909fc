import { Module } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { UnreachableError } from '../storage/unreachable-error.js';
import { LOGGER, type Logger } from '../platform/logger.js';
import { ResourceStack } from '../platform/async/resource-stack.js';
import { closeRedis, connectRedis, REDIS } from '../storage/redis-connection.js';
import { RedisSubscriber } from '../storage/redis-subscriber.js';

interface Opening {
  config: Pick<Config, 'redisUrl'>;
  logger: Logger;
  resources: ResourceStack;
}

/**
 * The process's two connections to Redis. A start fails with UnreachableError where it does not
 * answer.
 */
@Module({
  providers: [
    {
      provide: REDIS,
      inject: [CONFIG, LOGGER, ResourceStack],
      useFactory: (config: Config, logger: Logger, resources: ResourceStack) =>
        connect('turnpike', { config, logger, resources }),
    },
    {
      provide: RedisSubscriber,
      inject: [CONFIG, LOGGER, ResourceStack],
      useFactory: async (config: Config, logger: Logger, resources: ResourceStack) =>
        new RedisSubscriber(await connect('turnpike-subscriber', { config, logger, resources })),
    },
  ],
  exports: [REDIS, RedisSubscriber],
})
export class RedisModule {}

function connect(name: string, { config, logger, resources }: Opening) {
  const { redisUrl: url = '' } = config;
  const onError = (error: unknown): void => logger.warn({ error }, 'Redis does not answer');
  const connecting = connectRedis({ url, name, onError }).catch((error: unknown) => {
    throw new UnreachableError('REDIS_URL', url, error);
  });
  return resources.add(connecting, closeRedis);
}
