import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseConfig, type Config } from '../../../src/config/config.js';
import { systemClock, type Clock } from '../../../src/platform/clock.js';
import { compact } from '../../../src/platform/compact.js';
import { createLogger, type Logger } from '../../../src/platform/logger.js';
import type { RehearsalRequest } from '../../../rehearsal/request-types.js';
import { startRehearsal } from '../../../rehearsal/start-rehearsal.js';
import type { Feature } from '../../../src/app/features.js';
import { serve, type Server } from '../../../src/app/serve.js';
import { DATABASE, type Database } from '../../../src/storage/connection.js';
import { sandboxEnvironment } from './test-shells.js';
import { Client } from '../clients/client.js';
import { watchAnswers } from '../document/watch-answers.js';
import { useShared, newFolder } from '../suite.js';
import { newStore, type TestStore } from '../database/test-store.js';

export interface TestServer {
  client: Client;
  url: string;
  config: Config;
  clock: Clock;
  db: Database;
  /** A provider of the application. */
  get: Server['get'];
  /** Upstream requests, in order. */
  modelRequests: RehearsalRequest[];
  /** A folder for sessions to work in. */
  projectRoot: string;
  store: TestStore;
  logLines: string[];
  /** Stops the server as SIGTERM does; stored rows stay. */
  stop(): Promise<void>;
  /** Stops the server and removes its folders. */
  close(): Promise<void>;
}

export interface TestServerOptions {
  /** Variables beside the test's own. */
  environment?: Record<string, string>;
  /** The store of an earlier server, to start on it again, or of a running one, to share it. */
  store?: TestStore;
  clock?: Clock;
  /** Default: all. */
  features?: readonly Feature[];
}

/**
 * The real application on a real socket, over a rehearsal on a second one. The model is reached as
 * a user's own gateway is, so that tests see every upstream request.
 */
export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  const folder = newFolder();
  const store = options.store ?? (await newStore());
  const modelRequests: RehearsalRequest[] = [];
  const model = await startRehearsal({ onRequest: (request) => modelRequests.push(request) });
  const logLines: string[] = [];
  const config = parseConfig({
    TURNPIKE_PORT: '0',
    ...store.environment,
    TURNPIKE_PROJECTS_DIR: path.join(folder, 'projects'),
    // Keys may work in the folders of the test.
    TURNPIKE_PROJECT_ROOTS: tmpdir(),
    TURNPIKE_LOG_LEVEL: 'debug',
    TURNPIKE_DRAIN_MS: '0',
    ...sandboxEnvironment,
    ANTHROPIC_API_KEY: 'sk-ant-test-key-that-is-secret',
    TURNPIKE_PROVIDER_BASE_URL: model.url,
    TURNPIKE_EGRESS_ALLOW: model.url,
    ...options.environment,
  });
  const logger: Logger = createLogger({
    level: config.logLevel,
    readable: false,
    redact: (line) => line,
    destination: { write: (line) => logLines.push(line) },
  });
  const { clock = systemClock, features } = options;
  const { env: environment } = process;
  const serving = serve({ config, environment, clock, logger, ...compact({ features }) });
  const server = await serving.catch(async (error: unknown) => {
    await model.close();
    throw error;
  });
  const checkAnswers = await watchAnswers(server.url);
  // The request for the document is none of the test's.
  logLines.splice(0, logLines.length, ...logLines.filter((line) => !line.includes('/docs-json')));
  const closeAll = async (): Promise<void> => {
    try {
      await server.close();
    } finally {
      await model.close();
    }
    checkAnswers();
  };
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= closeAll());
  return {
    client: new Client(server.url),
    url: server.url,
    config,
    clock,
    db: server.get<Database>(DATABASE),
    get: server.get,
    modelRequests,
    projectRoot: await mkdtemp(path.join(folder, 'project-')),
    store,
    logLines,
    stop,
    close: async () => {
      try {
        await stop();
      } finally {
        if (options.store === undefined) await store.close();
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

/**
 * Starts a server before the tests of a suite and closes it after them. Its fields are there within tests and hooks.
 *
 * @param options or what makes them then.
 */
export function useServer(
  options: TestServerOptions | (() => TestServerOptions | Promise<TestServerOptions>) = {},
): TestServer {
  return useShared(async () =>
    startServer(typeof options === 'function' ? await options() : options),
  );
}
