import 'reflect-metadata';
import type { RequestListener, Server as HttpServer } from 'node:http';
import type { LoggerService, Type, ValueProvider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Outages } from './outages.js';
import { Authenticator } from '../access/authenticator.js';
import { KnownApprovers } from '../access/people/known-approvers.js';
import { PersonaLibrary } from '../agents/persona-library.js';
import { SERVER_PERMISSIONS } from '../governance/permissions/permission-rules.js';
import type { PermissionRules } from '../storage/shapes/stored-options.js';
import { AuditLog } from '../access/audit-log.js';
import {
  checkSecrets,
  requireApprovers,
  requireIssuersOfApi,
  requireKey,
  requireOwnPrefixes,
} from './check-access.js';
import { KeyService } from '../access/keys/key-service.js';
import type { CreatedKeyDto } from '../access/keys/key.dto.js';
import { SecretVault } from '../access/secrets/secret-vault.js';
import { CustomAuthenticators } from '../access/custom-authenticators.js';
import { KeyStore } from '../access/keys/key-store.js';
import { AppModule } from './app.module.js';
import { PUBLISH_URL, type PublishUrl } from './backend/ports.js';
import { type Config, type Environment, findServiceLinks } from '../config/config.js';
import type { ProcessValues } from '../config/config.module.js';
import { Background } from './background.js';
import type { Feature } from './features.js';
import { addRoutes } from './add-routes.js';
import { redactOf } from './process-log.js';
import { serveMetrics } from './serve-metrics.js';
import { HealthService } from '../operations/health-service.js';
import { MetricsService } from '../operations/metrics-service.js';
import { systemClock, type Clock } from '../platform/clock.js';
import type { Logger } from '../platform/logger.js';
import { ResourceStack } from '../platform/async/resource-stack.js';
import { servesApi } from '../config/role.js';
import { HttpAdapter } from './http-adapter.js';
import type { Extension } from '../tools/extensions/extend.js';
import type { AgentDefinition } from '../agents/define-agent.js';
import { HOST_AGENTS } from '../agents/defined-agents.js';
import { BASE_PATH } from '../tools/mcp/oauth/mcp-redirects.js';
import { SOURCE_FAULTS, type SourceFaults } from '../tools/extensions/source-faults.js';
import { HOST_EXTENSION } from '../tools/extensions/load-extensions.js';
import type { OpenFolder } from '../storage/folder/open-folder.js';

/** Looks a provider up in all modules. */
const anywhere = { strict: false };

export interface Server {
  /** `http://host:port`, with the port in use. */
  url: string;
  /** A provider of the application, by its class or token. */
  get<T>(token: Type<T> | symbol): T;
  /** Stops accepting turns, lets running turns end or hands them back, then closes everything. */
  close(): Promise<void>;
}

export interface ServeOptions {
  config: Config;
  environment: Environment;
  clock?: Clock;
  logger: Logger;
  /** Resources that were opened before the server, which closes them last. Default: none. */
  resources?: ResourceStack;
  /** The data folder of a server without Redis and PostgreSQL, one of `resources`. Default: the server opens it. */
  folder?: Promise<OpenFolder> | undefined;
  /** Shows the first key, where `TURNPIKE_FIRST_KEY` has one made; without it none is. */
  showFirstKey?: (created: CreatedKeyDto) => void;
  /** The additions of a host application. Default: none. */
  extension?: Extension;
  agents?: readonly AgentDefinition[];
  /** Faults of files that a parent process watches. Default: nobody watches. */
  faults?: SourceFaults;
  /** Where a host application mounts the handler, without a slash at its end. Default: the root. */
  basePath?: string;
  /** Default: all. */
  features?: readonly Feature[];
}

/** A server that answers requests, and does not listen. */
export interface Assembled {
  app: NestExpressApplication;
  values: ProcessValues;
  handler: RequestListener;
  /** Begins to run turns, and the rest of what a process does by itself. */
  start(): Promise<void>;
  /** Takes no more turns, and lets those that run end or hands them back. */
  drain(): Promise<void>;
  /** Drains, then closes everything. */
  close(): Promise<void>;
}

/**
 * Assembles a server for its role.
 *
 * @throws ConfigError when other machines would reach a server without keys; AgentsInvalidError, DataFolderBusyError,
 * ExtensionError, FileInvalidError, MasterKeysRefusedError, NoApproversError, UnreachableError.
 */
export async function assemble(options: ServeOptions): Promise<Assembled> {
  const { config, environment, clock = systemClock, folder } = options;
  const { resources = new ResourceStack() } = options;
  const redact = redactOf(config);
  const outages = new Outages(options.logger, clock);
  const logger = outages.log();
  const links = findServiceLinks(environment);
  if (links.length > 0) {
    logger.info(
      { variables: links },
      'ignoring environment variables that Kubernetes sets for a Service',
    );
  }
  return resources.orClose(async () => {
    const ofHost = hostProviders(options);
    const values = { config, environment, clock, logger, redact, resources, folder, ofHost };
    // Closed first: listeners and workers already started would keep a failed process alive.
    return new ResourceStack().orClose(async (started) => {
      const app = await started.add(createApp(values, options.features), (created) =>
        created.close(),
      );
      await checkAccess(app, values, options.showFirstKey);
      const noteStop = await addRoutes(app, values);
      return {
        app,
        values,
        handler: app.getHttpAdapter().getInstance() as RequestListener,
        start: async () => {
          outages.watch(app.get(HealthService, anywhere).dependencies);
          await app.get(Background).start();
        },
        drain: async () => {
          noteStop();
          await app.get(Background).drain();
        },
        close: async () => {
          noteStop();
          outages.stop();
          try {
            await app.close();
          } finally {
            await resources.close();
          }
        },
      };
    });
  });
}

/** The additions of a host application, where there is one. */
function hostProviders({ extension, agents, basePath, faults }: ServeOptions): ValueProvider[] {
  return [
    { provide: HOST_EXTENSION, useValue: extension },
    { provide: HOST_AGENTS, useValue: agents },
    { provide: BASE_PATH, useValue: basePath },
    { provide: SOURCE_FAULTS, useValue: faults },
  ].filter(({ useValue }) => useValue !== undefined);
}

function createApp(
  values: ProcessValues,
  features: ServeOptions['features'],
): Promise<NestExpressApplication> {
  const module = AppModule.forRole(values.config.role, values, features);
  return NestFactory.create<NestExpressApplication>(module, new HttpAdapter(), {
    logger: nestLogger(values.logger),
    // The guard reads bodies: the framework would read them before authentication.
    bodyParser: false,
    abortOnError: false,
  });
}

/**
 * Serves a server for its role over HTTP, and starts its worker.
 *
 * @throws as `assemble`; Error with code EADDRINUSE when the port is in use.
 */
export async function serve(options: ServeOptions): Promise<Server> {
  const { app, values, start, close } = await assemble(options);
  const { config } = values;
  try {
    keepConnections(app.getHttpServer(), config.keepAliveMs);
    await app.listen(config.port, config.host);
    await listenForMetrics(app, values);
    const opened = await app.getUrl();
    const url = opened.replace('[::1]', config.host === '::1' ? '[::1]' : '127.0.0.1');
    await app.get<PublishUrl>(PUBLISH_URL, anywhere)(url);
    await start();
    return { url, get: (token) => app.get(token, anywhere), close };
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

/** Checks who may use the server, and the secrets that it stores. */
async function checkAccess(
  app: NestExpressApplication,
  { config, logger }: ProcessValues,
  showFirstKey: ServeOptions['showFirstKey'],
): Promise<void> {
  const [audit, authenticator] = [app.get(AuditLog, anywhere), app.get(Authenticator, anywhere)];
  const { issuers } = authenticator;
  if (servesApi(config.role)) {
    const [store, keys] = [app.get(KeyStore, anywhere), app.get(KeyService, anywhere)];
    await requireKey(config, { store, keys, authenticator, showFirstKey });
    await requireOwnPrefixes(store, app.get(CustomAuthenticators, anywhere));
    await audit.noteIssuers(issuers.issuerNames, issuers.digest);
    await requireApprovers(app.get(KnownApprovers, anywhere), {
      server: app.get<PermissionRules>(SERVER_PERMISSIONS, anywhere),
      agents: app.get(PersonaLibrary, anywhere),
    });
  } else {
    requireIssuersOfApi(await audit.lastIssuers(), issuers.issuerNames);
  }
  await checkSecrets(app.get(SecretVault, anywhere), config, logger);
}

/** Keeps idle connections for longer than the proxies before the server: what they send is not lost in an end. */
function keepConnections(server: HttpServer, keepAliveMs: number): void {
  server.keepAliveTimeout = keepAliveMs;
  // Node counts the time for the next request's headers from the end of the one before.
  server.headersTimeout = Math.max(server.headersTimeout, keepAliveMs + 1_000);
}

/** Serves the metrics on a port of their own, where the configuration names one. */
async function listenForMetrics(
  app: NestExpressApplication,
  { config: { host, metricsPort: port }, logger, resources }: ProcessValues,
): Promise<void> {
  if (port === undefined) return;
  const metrics = app.get(MetricsService, anywhere);
  const serving = serveMetrics({ metrics, logger, host, port });
  const opened = await resources.add(serving, ({ close }) => close());
  logger.info({ host, port: opened.port }, 'serving metrics on a port of their own');
}

/** Nest's own log lines, in our log, without those of its start: they list 220 routes, which `/docs` has. */
function nestLogger(logger: Logger): LoggerService {
  const line =
    (level: 'debug' | 'warn' | 'error') =>
    (message: unknown, ...rest: unknown[]): void =>
      logger[level](
        { from: 'nest', ...(message instanceof Error ? { error: message } : { rest }) },
        message instanceof Error ? message.message : String(message),
      );
  const error = (message: unknown, ...rest: unknown[]): void =>
    line(isThrown(rest) ? 'debug' : 'error')(message, ...rest);
  return { log: () => undefined, debug: line('debug'), warn: line('warn'), error };
}

/** Whether the line is about an error of the start, which is also thrown: the caller reports it. */
function isThrown(rest: readonly unknown[]): boolean {
  return ['ExceptionHandler', 'NestApplication'].includes(String(rest.at(-1)));
}
