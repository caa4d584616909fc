import 'reflect-metadata';
import { ValidationPipe, type LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { findBindingFault } from '../access/origin/check-binding.js';
import { hideKeys } from '../access/keys/key-secret.js';
import { openAccess, type AccessServices } from '../access/origin/open-access.js';
import { AppModule } from '../app.module.js';
import { ConfigError, type Config } from '../config/config.js';
import { builtPage } from '../console/find-built-page.js';
import { answerMethods } from './answer-methods.js';
import { BodyReader } from './body-reader.js';
import { bodyRules } from './body-rules.js';
import { findRoutes } from './find-routes.js';
import { logRequests } from './log-requests.js';
import { RouteTable } from './route-table.js';
import { serveConsole } from '../console/serve-console.js';
import { mountOpenApi } from './openapi.js';
import { agentsErrors } from '../wires/named-agents/problem.js';
import { HousekeepingModule } from '../ops/housekeeping.module.js';
import { oracleErrors } from '../wires/oracle/oracle-failure.js';
import type { Logger } from '../platform/logger.js';
import { isDatabaseDown } from '../storage/database-down.js';
import { runsTurns, servesApi } from '../config/role.js';
import type { Runtime } from '../backend/runtime.js';
import { TurnApiModule, TurnWorkerModule } from '../turn/turn.module.js';
import { HarnessErrorFilter } from './harness-error.filter.js';
import { toValidationError } from './validation-error.js';

/** What a page may read of an answer beside its body. */
const exposedHeaders = [
  'Location',
  'Retry-After',
  'X-Message-Id',
  'X-Request-Id',
  'X-Session-Id',
  'X-Turn-Disposition',
  'X-Turn-Id',
  'X-Vercel-AI-UI-Message-Stream',
];

export interface Server {
  /** `http://host:port`, with the port that was taken. */
  url: string;
  /** Stops taking turns, lets running ones end or hands them back, then closes everything. */
  close(): Promise<void>;
}

/**
 * Puts a runtime behind HTTP and starts its worker.
 *
 * @throws Error with code EADDRINUSE when the port is taken; ConfigError when other machines would reach
 *   a server without keys.
 */
export async function serve(runtime: Runtime): Promise<Server> {
  const { config, logger } = runtime;
  const access = openAccess(runtime.services, accessSettings(config));
  if (servesApi(config.role)) await checkBinding(config, access);
  const bodies = new BodyReader({
    clock: runtime.services.clock,
    idleMs: config.receiveTimeoutMs,
    rulesOf: bodyRules(config),
  });
  const modules = AppModule.compose(runtime, access, bodies);
  const app = await NestFactory.create<NestExpressApplication>(modules, {
    logger: nestLogger(logger),
    // The guard reads bodies: the framework would before anybody knows whose they are.
    bodyParser: false,
    // Streams stay open for as long as their readers like: a stop does not wait for them.
    forceCloseConnections: true,
    abortOnError: false,
  });
  try {
    return await listen(app, runtime);
  } catch (error) {
    // What listens or works already would keep a process alive that has not started.
    await app.close();
    throw error;
  }
}

async function listen(app: NestExpressApplication, runtime: Runtime): Promise<Server> {
  const { config, logger } = runtime;
  app.disable('x-powered-by');
  let routes = new RouteTable([]);
  app.use(logRequests({ logger, clock: runtime.services.clock, routes: () => routes }));
  if (config.corsOrigins.length > 0) {
    app.enableCors({ origin: [...config.corsOrigins], exposedHeaders });
  }
  if (config.console && servesApi(config.role)) app.use(await serveConsole(builtPage));
  // After the console: some of its pages have the address of a route that is not for GET.
  app.use(answerMethods(() => routes));
  app.useGlobalFilters(
    new HarnessErrorFilter({
      logger,
      isStorageDown: noticeOutage(app, config),
      hideKeys,
      formats: [agentsErrors, oracleErrors],
    }),
  );
  app.useGlobalPipes(
    new ValidationPipe({ transform: true, whitelist: true, exceptionFactory: toValidationError }),
  );
  mountOpenApi(app);
  await app.init();
  routes = new RouteTable(findRoutes(app.getHttpAdapter().getInstance()));
  await app.listen(config.port, config.host);
  const url = (await app.getUrl()).replace('[::1]', config.host === '::1' ? '[::1]' : '127.0.0.1');
  await runtime.backEnd.publish(url);
  if (servesApi(config.role)) await app.get(TurnApiModule).start();
  if (runsTurns(config.role)) {
    await app.get(TurnWorkerModule).start();
    app.get(HousekeepingModule).start();
  }
  return {
    url,
    close: async () => {
      await app.close();
      await runtime.close();
    },
  };
}

/** Whoever is refused for the database's sake may have come to read a turn. */
function noticeOutage(app: NestExpressApplication, { role }: Config) {
  const turnApi = servesApi(role) ? app.get(TurnApiModule) : undefined;
  return (error: unknown): boolean => {
    const isDown = isDatabaseDown(error);
    if (isDown) turnApi?.noteAway();
    return isDown;
  };
}

function accessSettings(config: Config) {
  const { host, allowKeyless, corsOrigins } = config;
  const { requestsPerMinute, concurrentTurns, tokensPerDay, usdPerDay } = config;
  return {
    host,
    allowKeyless,
    corsOrigins,
    // Of several processes each would let whoever reaches a gateway make the first key.
    takesFirstKey: config.databaseUrl === undefined && !allowKeyless,
    limits: { requestsPerMinute, concurrentTurns, tokensPerDay, usdPerDay },
  };
}

/** @throws ConfigError. */
async function checkBinding(config: Config, { store }: AccessServices): Promise<void> {
  const { host, allowKeyless } = config;
  const { hasActive: hasActiveKey } = await store.census();
  const fault = findBindingFault({ host, allowKeyless, hasActiveKey });
  if (fault !== undefined) throw new ConfigError([fault]);
}

/** The framework's own lines, in our log. Its chatter about routes is for debugging. */
function nestLogger(logger: Logger): LoggerService {
  const line =
    (level: 'debug' | 'warn' | 'error') =>
    (message: unknown, ...rest: unknown[]): void =>
      logger[level](
        { from: 'nest', ...(message instanceof Error ? { error: message } : { rest }) },
        message instanceof Error ? message.message : String(message),
      );
  const error = (message: unknown, ...rest: unknown[]): void =>
    line(isListenFault(message) ? 'debug' : 'error')(message, ...rest);
  return { log: line('debug'), debug: line('debug'), warn: line('warn'), error };
}

/** `listen` throws it, too: whoever starts the server says what to do. */
function isListenFault(message: unknown): boolean {
  return String(message).startsWith('Error: listen ');
}
