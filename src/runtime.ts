import { PersonaLibrary } from './agents/load-persona.js';
import type { Config } from './config.js';
import { MemoryEventLog } from './events/memory-event-log.js';
import { systemClock, type Clock } from './platform/clock.js';
import { createLogger, type Logger } from './platform/logger.js';
import { AnthropicProvider } from './provider/anthropic/anthropic-provider.js';
import { chooseProviderMode, type ProviderMode } from './provider/provider-settings.js';
import { secretRedactor } from './provider/redact-secrets.js';
import { startRehearsal, type Rehearsal } from './rehearsal/start-rehearsal.js';
import { SessionStore } from './session/session-store.js';
import { openEmbeddedDatabase, type OpenedDatabase } from './storage/connection.js';
import { holdDataFolder } from './storage/data-folder.js';
import { builtinTools } from './tools/builtin/builtin-tools.js';
import { pickShellEnv } from './tools/pick-shell-env.js';
import { ToolRegistry } from './tools/registry.js';
import { MemorySignalBus } from './turn/memory-signal-bus.js';
import { MemoryTurnQueue } from './turn/memory-turn-queue.js';
import { TurnClaims } from './turn/turn-claims.js';
import type { TurnServices } from './turn/turn-services.js';

export interface Runtime {
  config: Config;
  mode: ProviderMode;
  logger: Logger;
  database: OpenedDatabase;
  services: TurnServices;
  /** Says where the data folder's owner serves. */
  publish(url: string): Promise<void>;
  close(): Promise<void>;
}

export interface RuntimeOptions {
  config: Config;
  /** The environment commands of tools may see a part of. */
  environment: Record<string, string | undefined>;
  /** Readable log lines instead of JSON ones. */
  readableLogs: boolean;
  clock?: Clock;
  logger?: Logger;
  /** A dump of an empty database to start a new one from. */
  databaseImage?: Blob;
}

/**
 * Assembles the embedded back end: everything in this process, nothing to install.
 *
 * @throws DataFolderBusyError when another process has the data folder.
 */
export async function openRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { config, clock = systemClock } = options;
  const redact = secretRedactor(config.apiKey === undefined ? [] : [config.apiKey]);
  const logger =
    options.logger ??
    createLogger({ level: config.logLevel, readable: options.readableLogs, redact });
  const folder = await holdDataFolder(config.dataDir);
  const mode = chooseProviderMode({ ...config, requested: config.provider });
  // The rehearsal model and the database start side by side: the latter takes seconds when new.
  const [rehearsal, database] = await Promise.all([
    mode === 'rehearsal' ? startRehearsal() : undefined,
    openEmbeddedDatabase(config.dataDir, options.databaseImage),
  ]);
  const services = assemble({ ...options, clock, logger, mode, database, rehearsal });
  // Nobody else has this database: whoever held a lease in it is gone.
  await new TurnClaims(database.db, config.leaseMs).releaseAll();
  return {
    config,
    mode,
    logger,
    database,
    services,
    publish: folder.publish,
    close: async () => {
      await services.bus.close();
      await services.log.close();
      await rehearsal?.close();
      await database.close();
      await folder.release();
    },
  };
}

interface Parts {
  config: Config;
  environment: Record<string, string | undefined>;
  clock: Clock;
  logger: Logger;
  mode: ProviderMode;
  database: OpenedDatabase;
  rehearsal: Rehearsal | undefined;
}

function assemble(parts: Parts): TurnServices {
  const { config, clock, logger, mode, rehearsal } = parts;
  const { db } = parts.database;
  const provider = new AnthropicProvider(
    {
      mode,
      apiKey: config.apiKey,
      baseUrl: rehearsal?.url ?? config.providerBaseUrl ?? 'https://api.anthropic.com',
      egressAllow: config.egressAllow,
      stallTimeoutMs: config.stallTimeoutMs,
      requestTimeoutMs: config.requestTimeoutMs,
      maxRetries: config.providerRetries,
    },
    clock,
  );
  const { maxTokens, toolTimeoutMs, toolOutputLimit, parallelTools } = config;
  return {
    db,
    log: new MemoryEventLog(clock),
    queue: new MemoryTurnQueue({
      concurrency: config.workerConcurrency,
      onError: (turnId, error) => logger.error({ turnId, error }, 'a turn could not be worked on'),
    }),
    bus: new MemorySignalBus(),
    clock,
    logger,
    sessions: new SessionStore(db, clock, config.maxSessions),
    personas: new PersonaLibrary(config.instructionRoot, {
      onProblem: (file, problem) =>
        logger.warn({ file, problem }, 'an instruction file has a fault'),
    }),
    provider,
    tools: new ToolRegistry(builtinTools),
    settings: {
      environmentModel: config.model,
      queueDepth: config.queueDepth,
      leaseMs: config.leaseMs,
      turnTimeoutMs: config.turnTimeoutMs,
      drainMs: config.drainMs,
      maxMessageChars: config.maxMessageChars,
      readerTimeoutMs: config.readerTimeoutMs,
      limits: { maxTokens, toolTimeoutMs, toolOutputLimit, parallelTools },
      shellEnv: pickShellEnv(parts.environment),
    },
  };
}
