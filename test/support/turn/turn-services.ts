import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Module, type DynamicModule, type InjectionToken } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { pino } from 'pino';
import { PersonaLibrary } from '../../../src/agents/persona-library.js';
import { BLOB_CONTENTS } from '../../../src/attachments/blob-store.js';
import { DiskContents } from '../../../src/attachments/blobs/disk-contents.js';
import { parseConfig, type Config } from '../../../src/config/config.js';
import { ConfigModule } from '../../../src/config/config.module.js';
import { EVENT_LOG } from '../../../src/events/event-log.js';
import { MemoryEventLog } from '../../../src/events/memory-event-log.js';
import { DecisionTrees } from '../../../src/governance/decision-tree/decision-trees.js';
import { McpModule } from '../../../src/features/mcp/mcp.module.js';
import { TurnMemoryModule } from '../../../src/features/memory/turn-memory.module.js';
import { SkillsModule } from '../../../src/features/skills/skills.module.js';
import { MetricsModule } from '../../../src/telemetry/metrics.js';
import { ResourceStack } from '../../../src/platform/async/resource-stack.js';
import { type Clock, systemClock } from '../../../src/platform/clock.js';
import { AnthropicProvider } from '../../../src/provider/anthropic/anthropic-provider.js';
import type { RehearsalRequest } from '../../../rehearsal/request-types.js';
import { startRehearsal } from '../../../rehearsal/start-rehearsal.js';
import { DATABASE, OPENED_DATABASE, type OpenedDatabase } from '../../../src/storage/connection.js';
import { ToolRegistry } from '../../../src/tools/registry.js';
import { shellsOff } from '../../../src/tools/shells.js';
import type { ToolDefinition } from '../../../src/tools/tool.js';
import { TracingModule } from '../../../src/telemetry/tracing.js';
import { MemorySignalBus, SIGNAL_BUS } from '../../../src/turn/queue/signal-bus.js';
import { TurnClaims } from '../../../src/turn/queue/turn-claims.js';
import { SilentWorkers } from '../../../src/turn/lifecycle/silent-workers.js';
import { MemoryTurnQueue, TURN_QUEUE } from '../../../src/turn/queue/turn-queue.js';
import { EndPoller } from '../../../src/turn/lifecycle/turn-follower.js';
import { TurnModule } from '../../../src/turn/turn.module.js';
import { TurnWorker } from '../../../src/turn/worker/turn-worker.js';
import { TurnWorkerModule } from '../../../src/turn/worker/worker.module.js';
import { plainTracing } from '../tracing/plain-tracing.js';
import { silentLogger } from '../silent-logger.js';
import { conductorsOf, partTokens, type TurnServices, type TurnParts } from './turn-parts.js';
import { newFolder } from '../suite.js';

/** One process that conducts turns, with its database, model and folders. */
export interface TestServices {
  /** Shared by all processes of the test; a change has an effect from then on. */
  config: Config;
  services: TurnServices;
  /** Starts a worker over the current services. @param own parts in place of theirs. */
  startWorker(own?: Partial<TurnParts>): Promise<TurnWorker>;
  /** Opens a second process over the same parts. @param own parts in place of theirs. */
  beside(own: Partial<TurnParts>): Promise<TurnServices>;
  projectRoot: string;
  /** Upstream requests, in order. */
  modelRequests: RehearsalRequest[];
  /** Loads personas from this folder from now on. */
  useInstructions(root: string): Promise<void>;
  /** Errors that claims threw, and lines of the log of turns that could not be worked on. */
  workerErrors: unknown[];
  /** Stops workers, default all, once the turns that they run have ended or are parked. */
  drain(workers?: readonly TurnWorker[]): Promise<void>;
  close(): Promise<void>;
}

/** Longest time that a test waits for its workers' turns, in ms. */
const DRAIN_MS = 30_000;

@Module({})
class TestBackEnd {}

/** What all processes of a test have. */
interface TestProcess {
  config: Config;
  resources: ResourceStack;
}

/** Opens the modules that conduct turns, and run them, over the parts. */
function openContext(parts: TurnParts, { config, resources }: TestProcess): Promise<TestingModule> {
  const { db, log, queue, bus, clock, logger } = parts;
  const redact = (text: string): string => text;
  const ports = [
    // The workers of a test are in one process, which dies with them.
    { provide: OPENED_DATABASE, useValue: { db } },
    { provide: DATABASE, useValue: db },
    { provide: EVENT_LOG, useValue: log },
    { provide: TURN_QUEUE, useValue: queue },
    { provide: SIGNAL_BUS, useValue: bus },
    { provide: BLOB_CONTENTS, useValue: new DiskContents(path.join(config.dataDir, 'blobs')) },
  ];
  const backEnd: DynamicModule = {
    module: TestBackEnd,
    global: true,
    providers: ports,
    exports: ports.map(({ provide }) => provide),
  };
  const values = { config, environment: {}, clock, logger, redact, resources };
  const context = Test.createTestingModule({
    imports: [
      ConfigModule.register(values),
      MetricsModule,
      TracingModule,
      backEnd,
      TurnModule,
      TurnWorkerModule,
      McpModule,
      SkillsModule,
      TurnMemoryModule,
    ],
  });
  for (const [name, token] of Object.entries(partTokens) as [keyof TurnParts, InjectionToken][]) {
    const part = parts[name];
    if (part !== undefined) context.overrideProvider(token).useValue(part);
  }
  return context.compile();
}

async function startServices(parts: TurnParts, process: TestProcess): Promise<TurnServices> {
  const services = { ...parts };
  return Object.assign(services, conductorsOf(await openContext(services, process)));
}

/** Opens the modules that conduct turns, over a rehearsal, a memory back end and these tools. */
export async function openTestServices(
  database: OpenedDatabase,
  tools: ToolDefinition[],
  options: { clock?: Clock; leaseMs?: number; turnTimeoutMs?: number } = {},
): Promise<TestServices> {
  const { clock = systemClock, leaseMs = 30_000, turnTimeoutMs = 600_000 } = options;
  const modelRequests: RehearsalRequest[] = [];
  const model = await startRehearsal({ onRequest: (request) => modelRequests.push(request) });
  const folder = newFolder();
  const projectRoot = await mkdtemp(path.join(folder, 'project-'));
  const workerErrors: unknown[] = [];
  const provider = new AnthropicProvider(
    {
      mode: 'rehearsal',
      apiKey: undefined,
      baseUrl: model.url,
      egressAllow: [],
      stallTimeoutMs: 60_000,
      requestTimeoutMs: 60_000,
      maxRetries: 0,
    },
    systemClock,
    plainTracing,
  );
  const personas = new PersonaLibrary(
    fileURLToPath(new URL('../../../instructions', import.meta.url)),
  );
  const config: Config = {
    ...parseConfig({}),
    dataDir: path.join(folder, 'data'),
    instructionRoot: personas.instructionRoot,
    projectRoot,
    projectSkills: false,
    // The rehearsal of the test, in place of one that the module would start.
    provider: 'anthropic',
    providerBaseUrl: model.url,
    prices: [{ model: 'claude', input: 3, output: 15 }],
    leaseMs,
    turnTimeoutMs,
    drainMs: 0,
    queueDepth: 100,
    maxBodyBytes: 100_000,
    subagentsEnabled: false,
    maxMessageChars: 100_000,
    readerTimeoutMs: 30_000,
    approvalTimeoutMs: 60_000,
    workerConcurrency: 4,
    maxTokens: 10_000,
    toolTimeoutMs: 60_000,
    toolOutputLimit: 10_000,
  };
  const onLine = (line: string): void => {
    if (
      line.includes(
        '"could not end a turn after its attempt failed; the next attempt starts when the lease ends"',
      )
    )
      workerErrors.push(line);
  };
  const workers: TurnWorker[] = [];
  const drain = async (some: readonly TurnWorker[] = workers): Promise<void> => {
    const { drainMs } = config;
    config.drainMs = DRAIN_MS;
    await Promise.all(some.map((worker) => worker.stop()));
    config.drainMs = drainMs;
  };
  const bus = new MemorySignalBus();
  const silent = new SilentWorkers(bus, new TurnClaims(database.db, config), clock, silentLogger);
  const parts: TurnParts = {
    db: database.db,
    log: new MemoryEventLog(clock),
    queue: new MemoryTurnQueue((error) => workerErrors.push(error)),
    bus,
    ends: new EndPoller(database.db, clock, silentLogger, silent),
    clock,
    logger: pino({ level: 'error' }, { write: onLine }),
    personas,
    provider,
    tools: new ToolRegistry(tools),
    shells: shellsOff('the test runs no commands'),
    trees: new DecisionTrees(),
  };
  const resources = new ResourceStack();
  const process = { config, resources };
  const services = await startServices(parts, process);
  return {
    services,
    config,
    startWorker: async (own) => {
      const worker = (await openContext({ ...services, ...own }, process)).get(TurnWorker);
      workers.push(worker);
      await worker.start();
      return worker;
    },
    useInstructions: async (root) => {
      parts.personas = new PersonaLibrary(root);
      Object.assign(services, await startServices(parts, process));
    },
    beside: (own) => startServices({ ...parts, ...own }, process),
    projectRoot,
    modelRequests,
    workerErrors,
    drain,
    close: async () => {
      services.ends.close();
      await drain();
      await services.log.close();
      await resources.close();
      await model.close();
    },
  };
}
