import type { Actor } from '../access/principal.js';
import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AccessEnder } from '../access/people/access-ender.js';
import { PrincipalParamsDto, viewEnded, type EndedAccessDto } from '../access/access.dto.js';
import type { Config, Environment } from '../config/config.js';
import {
  type PrincipalReportDto,
  ExportQueryDto,
  ImportQueryDto,
  type ImportReportDto,
} from '../features/portability/portability.dto.js';
import { PrincipalEraser } from '../features/portability/principal-eraser.js';
import { takeRequest } from '../http/request.pipe.js';
import { createLogger, type Logger } from '../platform/logger.js';
import { SessionExporter } from '../features/portability/session-exporter.js';
import { SessionImporter } from '../features/portability/session-importer.js';
import { systemClock } from '../platform/clock.js';
import { ResourceStack } from '../platform/async/resource-stack.js';
import { redactOf } from './process-log.js';
import { AppModule } from './app.module.js';

/** Stored data as a whole. Values are checked as those of requests are. */
export interface StoredData {
  export(selection: {
    sessionId?: string | undefined;
    principal?: string | undefined;
  }): Promise<AsyncIterable<Uint8Array | string>>;
  import(
    bytes: AsyncIterable<Uint8Array>,
    options: { principal?: string | undefined },
  ): Promise<ImportReportDto>;
  count(principal: string): Promise<PrincipalReportDto>;
  forget(principal: string, options: { projects: boolean }): Promise<PrincipalReportDto>;
  endAccess(principal: string): Promise<EndedAccessDto>;
  close(): Promise<void>;
}

/**
 * Opens a store that no server has for itself.
 *
 * @param by the actor in the audit log.
 * @throws as `openApplication` does.
 */
export async function openStoredData({
  config,
  environment,
  by,
}: {
  config: Config;
  environment: Environment;
  by: Actor;
}): Promise<StoredData> {
  const logger = createLogger({ level: 'warn', readable: true, redact: redactOf(config) });
  const app = await openApplication({ config, environment, logger });
  const named = async (principal: string): Promise<string> =>
    (await takeRequest(PrincipalParamsDto, { principal })).principal;
  return {
    export: async (given) => {
      const { sessionId, principal: principalId } = await takeRequest(ExportQueryDto, given);
      return app.get(SessionExporter).open({ sessionId, principalId }, by);
    },
    import: async (bytes, given) => {
      const { principal: principalId } = await takeRequest(ImportQueryDto, given);
      return app.get(SessionImporter).import(bytes, { principalId, by });
    },
    count: async (given) => app.get(PrincipalEraser).report(await named(given)),
    forget: async (given, { projects }) =>
      app.get(PrincipalEraser).forget(await named(given), { projects, by }),
    endAccess: async (given) => {
      const principal = await named(given);
      // No stream is open where no server has the store.
      return viewEnded(principal, await app.get(AccessEnder).end(principal, by), 0);
    },
    close: () => app.close(),
  };
}

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
async function openApplication(options: {
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
