import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Config, Environment } from '../config/config.js';
import { systemClock } from '../platform/clock.js';
import { ResourceStack } from '../platform/async/resource-stack.js';
import type { Logger } from '../platform/logger.js';
import { AppModule } from './app.module.js';
import { redactOf } from './process-log.js';

export interface OpenedApplication {
  /** A provider of the application. */
  get<T>(token: Type<T>): T;
  close(): Promise<void>;
}

/**
 * Opens the parts of a server over its store, for a command: nothing listens, and no turn is run.
 *
 * @throws AgentsInvalidError, DataFolderBusyError, ExtensionError, FileInvalidError, UnreachableError.
 */
export async function openApplication(options: {
  config: Config;
  environment: Environment;
  logger: Logger;
}): Promise<OpenedApplication> {
  const config: Config = { ...options.config, role: 'api' };
  const { environment, logger } = options;
  const resources = new ResourceStack();
  return resources.orClose(async () => {
    const redact = redactOf(config);
    const values = { config, environment, clock: systemClock, logger, redact, resources };
    const app = await NestFactory.createApplicationContext(AppModule.forRole('api', values), {
      logger: false,
      abortOnError: false,
    });
    return {
      get: (token) => app.get(token, { strict: false }),
      close: async () => {
        try {
          await app.close();
        } finally {
          await resources.close();
        }
      },
    };
  });
}
