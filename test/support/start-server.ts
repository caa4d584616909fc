import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readConfig } from '../../src/config.js';
import type { Clock } from '../../src/platform/clock.js';
import { createLogger, type Logger } from '../../src/platform/logger.js';
import type { RehearsalRequest } from '../../src/rehearsal/request-types.js';
import { startRehearsal } from '../../src/rehearsal/start-rehearsal.js';
import { openRuntime, type Runtime } from '../../src/runtime.js';
import { serve } from '../../src/serve.js';
import { Client } from './client.js';
import { emptyDatabaseImage } from './database-image.js';

export interface TestServer {
  client: Client;
  url: string;
  runtime: Runtime;
  /** What the model was sent, in order. */
  modelRequests: RehearsalRequest[];
  /** A folder for sessions to work in. */
  projectRoot: string;
  dataDir: string;
  logLines: string[];
  /** Stops the server as SIGTERM does; its data folder stays. */
  stop(): Promise<void>;
  /** Stops it and removes its folders. */
  close(): Promise<void>;
}

export interface TestServerOptions {
  /** Settings beside the test's own. */
  environment?: Record<string, string>;
  /** The folder of an earlier server, to start again on it. */
  dataDir?: string;
  clock?: Clock;
}

/**
 * The real application on a real socket, over a model that rehearses on another one. The model is
 * reached as a user's own gateway is, so that the tests see what it was sent.
 */
export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'turnpike-e2e-'));
  const dataDir = options.dataDir ?? path.join(folder, 'data');
  const modelRequests: RehearsalRequest[] = [];
  const model = await startRehearsal({ onRequest: (request) => modelRequests.push(request) });
  const logLines: string[] = [];
  const config = readConfig({
    TURNPIKE_PORT: '0',
    TURNPIKE_DATA_DIR: dataDir,
    TURNPIKE_LOG_LEVEL: 'debug',
    TURNPIKE_DRAIN_MS: '0',
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
  const runtime = await openRuntime({
    config,
    environment: process.env,
    readableLogs: false,
    logger,
    databaseImage: await emptyDatabaseImage(),
    ...(options.clock === undefined ? {} : { clock: options.clock }),
  });
  const server = await serve(runtime);
  const closeAll = async (): Promise<void> => {
    try {
      await server.close();
    } finally {
      await model.close();
    }
  };
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= closeAll());
  return {
    client: new Client(server.url),
    url: server.url,
    runtime,
    modelRequests,
    projectRoot: await mkdtemp(path.join(folder, 'project-')),
    dataDir,
    logLines,
    stop,
    close: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
