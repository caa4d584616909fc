import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { InjectionToken } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { pino } from 'pino';
import { AuditLog } from '../../../src/access/audit-log.js';
import { SkillLibrary } from '../../../src/skills/skill-library.js';
import { PersonaLibrary } from '../../../src/agents/persona-library.js';
import { OutputFiles } from '../../../src/attachments/output-files.js';
import { Extractor } from '../../../src/attachments/extract/extractor.js';
import { CONFIG, parseConfig, type Config } from '../../../src/config/config.js';
import { MemoryEventLog } from '../../../src/events/memory-event-log.js';
import { TurnMemory } from '../../../src/memory/turn-memory.js';
import { Metrics } from '../../../src/metrics/metrics.js';
import { Tracing } from '../../../src/tracing/tracing.js';
import { DecisionTrees } from '../../../src/governance/decision-tree/decision-trees.js';
import { SERVER_PERMISSIONS } from '../../../src/governance/permissions/permission-rules.js';
import { TodoStore } from '../../../src/notices/todo-store.js';
import { defaultTriggers } from '../../../src/notices/triggers.js';
import { OptionLoader } from '../../../src/options/option-loader.js';
import { type Clock, systemClock } from '../../../src/platform/clock.js';
import { ResourceProbe } from '../../../src/platform/process/resource-probe.js';
import { AnthropicProvider } from '../../../src/provider/anthropic/anthropic-provider.js';
import { ModelCatalogue } from '../../../src/provider/model-catalogue.js';
import { ModelResolver } from '../../../src/provider/model-resolver.js';
import { ModelStore } from '../../../src/provider/models/model-store.js';
import type { RehearsalRequest } from '../../../src/rehearsal/request-types.js';
import { startRehearsal } from '../../../src/rehearsal/start-rehearsal.js';
import { SessionStore } from '../../../src/session/session-store.js';
import type { OpenedDatabase } from '../../../src/storage/connection.js';
import { SHELL_ENV } from '../../../src/tools/shell-env.js';
import { openMcp } from '../../../src/tools/mcp/mcp.js';
import { ToolRegistry } from '../../../src/tools/registry.js';
import { shellsOff } from '../../../src/tools/shells.js';
import type { ToolDefinition } from '../../../src/tools/tool.js';
import { MemorySignalBus } from '../../../src/turn/queue/signal-bus.js';
import { MemoryTurnQueue } from '../../../src/turn/queue/turn-queue.js';
import { TurnClaims } from '../../../src/turn/queue/turn-claims.js';
import { EndWatch } from '../../../src/turn/stream/end-watch.js';
import { SchemaChecks } from '../../../src/output/schema-checks.js';
import { turnProviders, workerProviders } from '../../../src/turn/turn.module.js';
import { TurnWorker } from '../../../src/turn/worker/turn-worker.js';
import { openProjectRoots } from '../access/open-project-roots.js';
import { attachmentsIn } from '../files/test-attachments.js';
import { plainTracing } from '../tracing/plain-tracing.js';
import { silentLogger } from '../silent-logger.js';
import { conductorsOf, partTokens, type TurnServices, type TurnParts } from './turn-parts.js';

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

const noMcp = {
  mcpFile: undefined,
  mcpHosts: [],
  mcpSessionStdio: false,
  mcpConnectMs: 1_000,
  mcpPrivateHosts: [],
};

/** Longest time that a test waits for its workers' turns, in ms. */
const DRAIN_MS = 30_000;

class TestRoot {}

/** Opens a Nest application of the turn module's providers over the parts. */
function openContext(parts: TurnParts, config: Config) {
  const tokens = Object.entries(partTokens) as [keyof TurnParts, InjectionToken][];
  return NestFactory.createApplicationContext(
    {
      module: TestRoot,
      providers: [
        ...turnProviders,
        ...workerProviders,
        Metrics,
        SchemaChecks,
        OutputFiles,
        Tracing,
        TurnMemory,
        ...tokens.map(([name, provide]) => ({ provide, useValue: parts[name] })),
        { provide: CONFIG, useValue: config },
        { provide: SERVER_PERMISSIONS, useValue: {} },
        { provide: SHELL_ENV, useValue: {} },
      ],
    },
    { logger: false, abortOnError: false },
  );
}

async function startServices(parts: TurnParts, config: Config): Promise<TurnServices> {
  const services = { ...parts };
  return Object.assign(services, conductorsOf(await openContext(services, config)));
}

/** Opens the classes that conduct turns, over a rehearsal, a memory back end and these tools. */
export async function openTestServices(
  database: OpenedDatabase,
  tools: ToolDefinition[],
  options: { clock?: Clock; leaseMs?: number; turnTimeoutMs?: number } = {},
): Promise<TestServices> {
  const { clock = systemClock, leaseMs = 30_000, turnTimeoutMs = 600_000 } = options;
  const modelRequests: RehearsalRequest[] = [];
  const model = await startRehearsal({ onRequest: (request) => modelRequests.push(request) });
  const folder = await mkdtemp(path.join(tmpdir(), 'turnpike-worker-'));
  const projectRoot = await mkdtemp(path.join(folder, 'project-'));
  const extractor = new Extractor({ clock });
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
  const models = new ModelCatalogue({
    prices: [{ model: 'claude', input: 3, output: 15 }],
  });
  const store = new ModelStore(database.db, model.url);
  const personas = new PersonaLibrary(
    fileURLToPath(new URL('../../../instructions', import.meta.url)),
  );
  const skills = new SkillLibrary({
    instructionRoot: personas.instructionRoot,
    hasProjectSkills: false,
    clock,
    onProblem: (location, problem) => {
      throw new Error(`${location}: ${problem}`);
    },
  });
  const modelNames = new ModelResolver({
    catalogue: models,
    store,
    provider,
    clock,
    logger: silentLogger,
  });
  const config: Config = {
    ...parseConfig({}),
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
    if (line.includes('"a turn could not be worked on"')) workerErrors.push(line);
  };
  const workers: TurnWorker[] = [];
  const drain = async (some: readonly TurnWorker[] = workers): Promise<void> => {
    const { drainMs } = config;
    config.drainMs = DRAIN_MS;
    await Promise.all(some.map((worker) => worker.stop()));
    config.drainMs = drainMs;
  };
  const audit = new AuditLog(database.db, clock);
  const parts: TurnParts = {
    audit,
    options: new OptionLoader(personas, modelNames, config, new SchemaChecks()),
    db: database.db,
    log: new MemoryEventLog(clock),
    queue: new MemoryTurnQueue((error) => workerErrors.push(error)),
    bus: new MemorySignalBus(),
    claims: new TurnClaims(database.db, { leaseMs }),
    ends: new EndWatch(database.db, clock, silentLogger),
    clock,
    logger: pino({ level: 'error' }, { write: onLine }),
    sessions: new SessionStore(database.db, clock, { maxSessions: 1_000 }, audit),
    projectRoots: openProjectRoots(database.db, { sharedRoot: projectRoot }),
    personas,
    skills,
    provider,
    models,
    modelNames,
    tools: new ToolRegistry(tools),
    mcp: await openMcp({ config: noMcp, environment: {}, clock, logger: silentLogger }),
    redact: (text) => text,
    shells: shellsOff('the test runs no commands'),
    toolHook: null,
    trees: new DecisionTrees(),
    triggers: defaultTriggers,
    todos: new TodoStore(database.db),
    resources: new ResourceProbe(clock),
    attachments: attachmentsIn(path.join(folder, 'blobs'), { db: database.db, clock, extractor }),
  };
  const services = await startServices(parts, config);
  return {
    services,
    config,
    startWorker: async (own) => {
      const worker = (await openContext({ ...services, ...own }, config)).get(TurnWorker);
      workers.push(worker);
      await worker.start();
      return worker;
    },
    useInstructions: async (root) => {
      const own = new PersonaLibrary(root);
      parts.personas = own;
      parts.options = new OptionLoader(own, modelNames, config, new SchemaChecks());
      Object.assign(services, await startServices(parts, config));
    },
    beside: (own) => startServices({ ...parts, ...own }, config),
    projectRoot,
    modelRequests,
    workerErrors,
    drain,
    close: async () => {
      services.ends.close();
      await drain();
      await services.log.close();
      await extractor.close();
      await model.close();
    },
  };
}
