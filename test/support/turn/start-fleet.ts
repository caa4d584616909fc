import { randomUUID } from 'node:crypto';
import type { OpenedDatabase } from '../../../src/storage/connection.js';
import { openPostgres } from '../../../src/storage/postgres-database.js';
import { closeRedis, connectRedis } from '../../../src/storage/redis/redis-connection.js';
import type { ToolDefinition } from '../../../src/tools/tool.js';
import type { TurnQueue } from '../../../src/turn/queue/turn-queue.js';
import type { TurnServices } from './turn-parts.js';
import type { TurnWorker } from '../../../src/turn/worker/turn-worker.js';
import { openTestDatabase } from '../database/database.js';
import { openBullQueue } from './open-bull-queue.js';
import { newDatabase } from '../database/new-database.js';
import { testRedis } from '../processes/test-services.js';
import { openTestServices, type TestServices } from './turn-services.js';

export interface Fleet {
  test: TestServices;
  /** Starts the workers: earlier turns are queued until then. */
  start(): Promise<void>;
  /** The started workers. */
  workers: TurnWorker[];
  close(): Promise<void>;
}

export interface FleetOptions {
  /** Slots of all workers together. */
  slots: number;
  tools?: ToolDefinition[];
}

/** Workers of a back end: one over memory, or two over a PostgreSQL and a Redis of their own. */
export async function openFleet(
  backEnd: 'embedded' | 'distributed',
  { slots, tools = [] }: FleetOptions,
): Promise<Fleet> {
  const state = backEnd === 'embedded' ? await inMemory() : await onServers();
  const first = await openTestServices(state.database, tools);
  const onError = (error: unknown): void => void first.workerErrors.push(error);
  const queues = await state.openQueues(first.services.queue, onError);
  const workerConcurrency = slots / queues.length;
  Object.assign(first.config, { queueDepth: 10_000, workerConcurrency });
  const processes = await Promise.all(queues.map((queue) => first.beside({ queue })));
  const [services = first.services] = processes;
  const test = { ...first, services };
  const workers: TurnWorker[] = [];
  return {
    test,
    workers,
    start: async () => {
      for (const queue of queues) workers.push(await first.startWorker({ queue }));
    },
    close: async () => {
      await test.drain();
      await Promise.all(queues.map((queue) => queue.close()));
      await test.close();
      await state.close();
    },
  };
}

interface State {
  database: OpenedDatabase;
  /** The services of each worker. @param own parts in place of those of the test. */
  openQueues(own: TurnServices['queue'], onError: (error: unknown) => void): Promise<TurnQueue[]>;
  close(): Promise<void>;
}

async function inMemory(): Promise<State> {
  const database = await openTestDatabase();
  return { database, openQueues: async (own) => [own], close: () => database.close() };
}

async function onServers(): Promise<State> {
  const made = await newDatabase();
  // A broken idle connection is no fault of the test's: a query on it is.
  const onError = (): void => undefined;
  const database = await openPostgres({ url: made.url, connections: 8, onError });
  const redis = await connectRedis({ address: testRedis(), name: 'fleet', onError });
  const prefix = `test-${randomUUID()}`;
  return {
    database,
    openQueues: (_own, onError) =>
      Promise.all(
        [1, 2].map(() =>
          openBullQueue({
            redis,
            prefix,
            onError,
          }),
        ),
      ),
    close: async () => {
      await closeRedis(redis);
      await database.close();
      await made.drop();
    },
  };
}
