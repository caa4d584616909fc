import type { DynamicModule, Type } from '@nestjs/common';
import type { Config } from '../../config/config.js';
import { DistributedModule } from './distributed.module.js';
import { EmbeddedModule } from './embedded.module.js';

/**
 * The providers of the database and of the ports: for many processes over Redis and PostgreSQL
 * where both are configured, else for a single process without them.
 */
export function backendModule(config: Config): DynamicModule | Type {
  const { redis, databaseUrl } = config;
  if (redis === undefined || databaseUrl === undefined) return EmbeddedModule;
  return DistributedModule.register({ ...config, databaseUrl });
}
