import { startRehearsal } from '../../../rehearsal/start-rehearsal.js';
import { instructionRootWith } from '../agents/instruction-root.js';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { openPostgres } from '../../../src/storage/postgres-database.js';
import type { OpenedDatabase } from '../../../src/storage/connection.js';
import { type Services, startServices } from '../../../scripts/services/start-services.mjs';
import { serverProgram } from './built-programs.js';
import { startProcess, type ServerProcess } from './start-process.js';
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

/** A deployment, and connections to its database beside those of its processes. */
export function useDeployment(): { deployment: Deployment; database: OpenedDatabase } {
  const deployment = useShared(startDeployment);
  const database = useShared(() =>
    openPostgres({
      url: deployment.services.databaseUrl,
      connections: 3,
      onError: () => undefined,
    }),
  );
  return { deployment, database };
}

/** Processes over a Redis and a PostgreSQL that the test may stop. `SHELL` may run commands. */
export async function startDeployment(): Promise<Deployment> {
  const services = await startServices({ own: true, durable: true });
  await migrateDatabase(services.databaseUrl);
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
