import { startRehearsal } from '../../../rehearsal/start-rehearsal.js';
import { instructionRootWith } from '../agents/instruction-root.js';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { openPostgres } from '../../../src/storage/postgres-database.js';
import type { OpenedDatabase } from '../../../src/storage/connection.js';
import { type Services, startServices } from '../../../scripts/services/start-services.mjs';
import { serverProgram } from './built-programs.js';
import { startProcess, type ServerProcess } from './start-process.js';
import { newStore } from '../database/test-store.js';
import { newFolder, useShared } from '../suite.js';

export interface Deployment {
  services: Services;
  projectRoot: string;
  /** Starts a process of the built server, or of another build; it is gone with the deployment. */
  start(
    role: 'api' | 'worker',
    more?: Record<string, string>,
    program?: typeof serverProgram,
  ): Promise<ServerProcess>;
  close(): Promise<void>;
}

/**
 * A deployment, and connections to its database beside those of its processes.
 *
 * @param openServices default: of its own.
 */
export function useDeployment(openServices = startOwnServices): {
  deployment: Deployment;
  database: OpenedDatabase;
} {
  const deployment = useShared(() => startDeployment(openServices));
  const database = useShared(() =>
    openPostgres({
      url: deployment.services.databaseUrl,
      connections: 3,
      onError: () => undefined,
    }),
  );
  return { deployment, database };
}

/** What the processes of a deployment are over, and variables that keep it apart from others there. */
interface Backing {
  services: Services;
  environment: Record<string, string>;
}

/** A Redis and a PostgreSQL that the test may stop. */
async function startOwnServices(): Promise<Backing> {
  const services = await startServices({ own: true, durable: true });
  await migrateDatabase(services.databaseUrl);
  return { services, environment: {} };
}

/** A database and a prefix on the services of the run, which go on whatever is killed. */
export async function shareServices(): Promise<Backing> {
  const { environment, close } = await newStore();
  const { REDIS_URL: redisUrl = '', DATABASE_URL: databaseUrl = '' } = environment;
  const services = { redisUrl, databaseUrl, redis: undefined, postgres: undefined, stop: close };
  return { services, environment };
}

/** Processes over a Redis and a PostgreSQL. `SHELL` may run commands. @param openServices default: of its own. */
export async function startDeployment(openServices = startOwnServices): Promise<Deployment> {
  const { services, environment: backing } = await openServices();
  const model = await startRehearsal();
  const folder = newFolder();
  const instructions = instructionRootWith({ SHELL: ['auto_approve_tools: [bash]'] });
  const running: ServerProcess[] = [];
  return {
    services,
    projectRoot: await mkdtemp(path.join(folder, 'project-')),
    start: async (role, more = {}, program = serverProgram) => {
      const environment = {
        TURNPIKE_ROLE: role,
        REDIS_URL: services.redisUrl,
        DATABASE_URL: services.databaseUrl,
        ...backing,
        TURNPIKE_INSTRUCTION_ROOT: instructions,
        TURNPIKE_PROVIDER_BASE_URL: model.url,
        TURNPIKE_EGRESS_ALLOW: model.url,
        ANTHROPIC_API_KEY: 'sk-ant-test-key',
        TURNPIKE_DRAIN_MS: '0',
        ...more,
      };
      const started = await startProcess(environment, program);
      running.push(started);
      return started;
    },
    close: async () => {
      for (const { child, kill } of running) {
        if (child.exitCode === null && child.signalCode === null) await kill('SIGKILL');
      }
      await model.close();
      await services.stop();
      await rm(folder, { recursive: true, force: true });
      await rm(instructions, { recursive: true, force: true });
    },
  };
}

async function migrateDatabase(url: string): Promise<void> {
  const onError = (): void => undefined;
  const database = await openPostgres({ url, connections: 1, migrate: 'apply', onError });
  await database.close();
}
