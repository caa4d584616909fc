import type { PersonaLibrary } from '../agents/load-persona.js';
import { openAgents } from '../agents/open-agents.js';
import { openExtractor, type Extractor } from '../attachments/extract/extractor.js';
import { openAttachments } from '../attachments/open-attachments.js';
import type { BackEnd, BackEndOptions } from './back-end.js';
import type { Config } from '../config/config.js';
import { openDistributed } from './distributed.js';
import { openEmbedded } from './embedded.js';
import { loadExtensions } from '../extensions/load-extensions.js';
import { DecisionTrees } from '../governance/decision-tree/decision-trees.js';
import type { OwnPaths } from '../governance/permissions/own-paths.js';
import type { PermissionRules } from '../governance/permissions/permission-rules.js';
import { TodoStore } from '../notices/todo-store.js';
import type { Trigger } from '../notices/trigger.js';
import { defaultTriggers } from '../notices/triggers.js';
import { ResourceProbe } from '../platform/resource-probe.js';
import { freeLimits } from '../options/free-limits.js';
import { loadModels } from '../options/load-models.js';
import { loadPermissions } from '../options/load-permissions.js';
import { systemClock, type Clock } from '../platform/clock.js';
import { KeyedMutex } from '../platform/keyed-mutex.js';
import { ResourceStack } from '../platform/resource-stack.js';
import { createLogger, type Logger } from '../platform/logger.js';
import { AnthropicProvider } from '../provider/anthropic/anthropic-provider.js';
import { CatalogueKeeper } from '../provider/models/catalogue-keeper.js';
import { DEFAULT_MODEL, sentName } from '../provider/models/choose-model.js';
import { limitModel } from '../provider/request-profile.js';
import { ModelCatalogue } from '../provider/models/model-catalogue.js';
import type { ModelDescription } from '../provider/models/model-description.js';
import { ModelResolver } from '../provider/models/model-resolver.js';
import { ModelStore } from '../provider/models/model-store.js';
import { serverToolNames } from '../provider/server-tools.js';
import { chooseProviderMode, type ProviderMode } from '../provider/provider-settings.js';
import { secretRedactor } from '../provider/redact-secrets.js';
import { ownFolders } from '../config/own-folders.js';
import { runsTurns } from '../config/role.js';
import { startRehearsal, type Rehearsal } from '../rehearsal/start-rehearsal.js';
import { hideKeys } from '../access/keys/key-secret.js';
import { KeyStore } from '../access/keys/key-store.js';
import { isLoopback } from '../access/origin/loopback.js';
import { ProjectRoots } from '../session/project-roots.js';
import { findServiceLinks } from '../config/settings/service-links.js';
import { SessionStore } from '../session/session-store.js';
import { builtinTools } from '../tools/builtin/builtin-tools.js';
import { argumentKinds } from '../tools/calls/argument-kinds.js';
import { resolveOwnPaths } from '../tools/calls/resolve-own-paths.js';
import { pickShellEnv } from '../tools/calls/pick-shell-env.js';
import { homeFolders, secretPaths } from '../tools/sandbox/secret-paths.js';
import { describeShells, openShells, type Shells } from '../tools/sandbox/shells.js';
import { openMcp, type Mcp } from '../tools/mcp/open-mcp.js';
import { ToolRegistry } from '../tools/registry.js';
import { EndWatch } from '../turn/stream/end-watch.js';
import { TurnClaims } from '../turn/queue/turn-claims.js';
import type { TurnServices } from '../turn/state/turn-services.js';

/** How long an edit of an instruction file may stay unseen. */
const INSTRUCTIONS_FRESH_MS = 1_000;

const MIB = 1024 * 1024;

export interface Runtime {
  config: Config;
  mode: ProviderMode;
  logger: Logger;
  backEnd: BackEnd;
  services: TurnServices;
  /** How commands run here. */
  shells: Shells;
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
}

/**
 * Assembles what a process runs on: with `REDIS_URL` and `DATABASE_URL` the distributed back end,
 * without them the embedded one, in this process and with nothing to install.
 *
 * @throws ExtensionError; AgentsInvalidError; PermissionsInvalidError; McpFileError; DataFolderBusyError when another process
 *   has the data folder; UnreachableError when Redis or PostgreSQL does not answer.
 */
export async function openRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { config, clock = systemClock } = options;
  const hideSecrets = secretRedactor(config.secrets);
  const redact = (text: string): string => hideKeys(hideSecrets(text));
  const logger =
    options.logger ??
    createLogger({ level: config.logLevel, readable: options.readableLogs, redact });
  const links = findServiceLinks(options.environment);
  if (links.length > 0) {
    logger.info({ variables: links }, 'variables that Kubernetes made for a Service are not read');
  }
  const mode = chooseProviderMode({ ...config, requested: config.provider });
  const shells = await findShells(options, logger);
  const tools = new ToolRegistry(builtinTools(shells));
  const trees = new DecisionTrees();
  const triggers = [...defaultTriggers];
  await loadExtensions(config.extensions, { trees, tools, triggers, logger });
  // Whether a turn has one of the provider's is decided when it runs: its model may lack it.
  const named = [...tools.list(), ...serverToolNames.map((name) => ({ name }))];
  const serverPermissions = await loadPermissions(config.permissionsFile, named);
  const ownModels = await loadModels(config.modelsFile);
  const personas = await openAgents(config.instructionRoot, {
    freshMs: INSTRUCTIONS_FRESH_MS,
    clock,
    knownTools: named.map(({ name }) => name),
    toolArguments: argumentKinds(tools.list()),
    knownTrees: trees.names(),
    onProblem: (file, problem) => logger.warn({ file, problem }, 'an instruction file has a fault'),
  });
  const mcp = await openMcp({ config, environment: options.environment, clock, logger });
  const opened = new ResourceStack();
  const { rehearsal, backEnd, extractor } = await opened.orClose(async () => ({
    extractor: await opened.add(Promise.resolve(openFileReader(config, clock, logger)), (reader) =>
      reader.close(),
    ),
    backEnd: await opened.add(openBackEnd({ config, clock, logger }), ({ close }) => close()),
    rehearsal:
      mode === 'rehearsal'
        ? await opened.add(startRehearsal(), (model) => model.close())
        : undefined,
  }));
  const registered = { tools, trees, triggers };
  const parts = { clock, logger, mode, backEnd, rehearsal, extractor, personas, ...registered };
  const own = ownFolders(config);
  // What commands do not see, file tools do not reach.
  const hidden = [...own.hidden, ...secretPaths(await homeFolders())];
  const rules = { serverPermissions, ownPaths: await resolveOwnPaths({ ...own, hidden }) };
  const { services, keeper } = assemble({
    ...options,
    ...parts,
    ...rules,
    shells,
    mcp,
    redact,
    ownModels,
  });
  await keeper.start();
  return {
    config,
    mode,
    logger,
    backEnd,
    services,
    shells,
    close: async () => {
      services.ends.close();
      await keeper.close();
      await mcp.close();
      await opened.close();
    },
  };
}

async function findShells(
  { config, environment, clock = systemClock }: RuntimeOptions,
  logger: Logger,
): Promise<Shells> {
  const own = ownFolders(config);
  const shells = await openShells({
    limits: {
      memoryMb: config.sandboxMemoryMb,
      processes: config.sandboxProcesses,
      cpuPercent: config.sandboxCpuPercent,
    },
    network: config.sandboxNetwork,
    dataFolders: own.data,
    hide: own.hidden,
    protect: own.protected,
    searchPath: environment['PATH'] ?? '',
    allowUnsandboxed: config.allowUnsandboxedBash,
    outputLimit: config.toolOutputLimit,
    clock,
  });
  const reasons = shells.kind === 'sandboxed' ? shells.weaknesses : [shells.reason];
  for (const reason of runsTurns(config.role) ? reasons : []) {
    logger.warn({ reason }, `bash is ${describeShells(shells)}`);
  }
  return shells;
}

function openFileReader(config: Config, clock: Clock, logger: Logger): Extractor {
  return openExtractor({
    concurrency: config.extractProcesses,
    timeoutMs: config.extractTimeoutMs,
    memoryMb: config.extractMemoryMb,
    clock,
    onProblem: (error) => logger.warn({ error }, 'a process that reads files has a fault'),
    onRefused: (why) => logger.info({ ...why }, 'a file cannot be read'),
  });
}

function openBackEnd(options: BackEndOptions): Promise<BackEnd> {
  const { redisUrl, databaseUrl } = options.config;
  if (redisUrl === undefined || databaseUrl === undefined) return openEmbedded(options);
  return openDistributed({ ...options, redisUrl, databaseUrl });
}

interface Parts {
  config: Config;
  environment: Record<string, string | undefined>;
  clock: Clock;
  logger: Logger;
  mode: ProviderMode;
  backEnd: BackEnd;
  rehearsal: Rehearsal | undefined;
  extractor: Extractor;
  tools: ToolRegistry;
  trees: DecisionTrees;
  triggers: readonly Trigger[];
  personas: PersonaLibrary;
  serverPermissions: PermissionRules;
  ownPaths: OwnPaths;
  shells: Shells;
  mcp: Mcp;
  redact(text: string): string;
  /** The operator's own words on models. */
  ownModels: readonly ModelDescription[];
}

interface Assembled {
  services: TurnServices;
  keeper: CatalogueKeeper;
}

function assemble(parts: Parts): Assembled {
  const { config, clock, logger, mode, rehearsal, backEnd, extractor } = parts;
  const { tools, trees, triggers, personas } = parts;
  const { log, queue, bus } = backEnd;
  const { db } = backEnd.database;
  const baseUrl = rehearsal?.url ?? config.providerBaseUrl ?? 'https://api.anthropic.com';
  const provider = new AnthropicProvider(
    {
      mode,
      apiKey: config.apiKey,
      secrets: config.secrets,
      baseUrl,
      egressAllow: config.egressAllow,
      egressPrivateHosts: config.egressPrivateHosts,
      profile: config.providerProfile,
      stallTimeoutMs: config.stallTimeoutMs,
      requestTimeoutMs: config.requestTimeoutMs,
      maxRetries: config.providerRetries,
    },
    clock,
  );
  const { maxTokens, toolTimeoutMs, toolOutputLimit, overloadRetries } = config;
  const models = new ModelCatalogue({
    overrides: parts.ownModels,
    prices: config.prices,
    limit: (model) => limitModel(model, provider.profile),
  });
  const isRehearsal = mode === 'rehearsal';
  // The rehearsal has another port with each start.
  const keys = new KeyStore(db, clock);
  const store = new ModelStore(db, isRehearsal ? 'rehearsal' : baseUrl);
  const kept = { catalogue: models, store, provider, clock, logger };
  const configuredModel = config.model && sentName(config.model, DEFAULT_MODEL).name;
  // It is in this process: asking it costs nothing, and an update of this build is seen at once.
  const keeper = new CatalogueKeeper({
    ...kept,
    configuredModel,
    ...(isRehearsal ? { staleAfterMs: 0 } : {}),
  });
  const services: TurnServices = {
    db,
    log,
    queue,
    bus,
    clock,
    logger,
    claims: new TurnClaims(db, config.leaseMs),
    ends: new EndWatch({ db, clock, logger }),
    holding: new KeyedMutex(),
    sessions: new SessionStore(db, clock, config.maxSessions),
    projectRoots: new ProjectRoots({
      instructionRoot: config.instructionRoot,
      ownPaths: parts.ownPaths,
      projectsDir: config.projectsDir,
      sharedRoot: config.projectRoot,
      listed: config.projectRoots,
      isOpenWithoutKey: isLoopback(config.host),
      clock,
      loadKeyRoots: () => keys.roots(),
    }),
    personas,
    provider,
    models,
    modelNames: new ModelResolver(kept),
    tools,
    mcp: parts.mcp,
    shells: parts.shells,
    redact: parts.redact,
    trees,
    triggers,
    todos: new TodoStore(db),
    resources: new ResourceProbe(clock),
    attachments: openAttachments({
      db,
      contents: backEnd.blobContents,
      extractor,
      clock,
      logger,
      memoryBytes: config.attachmentMemoryMb * MIB,
      roots: config.attachmentRoots,
    }),
    settings: {
      environmentModel: config.model,
      defaultLimits: freeLimits(config),
      serverTools: config.serverTools,
      serverPermissions: parts.serverPermissions,
      ceiling: { mode: config.modeCeiling, tools: config.toolCeiling },
      subagentsEnabled: config.subagentsEnabled,
      subagentWarnMs: config.subagentWarnMs,
      queueDepth: config.queueDepth,
      archiveKeepDays: config.archiveKeepDays,
      leaseMs: config.leaseMs,
      turnTimeoutMs: config.turnTimeoutMs,
      drainMs: config.drainMs,
      maxMessageChars: config.maxMessageChars,
      // What a body may hold that is not a conversation: they are stored, and walked by many rules.
      maxOptionChars: config.maxBodyBytes,
      readerTimeoutMs: config.readerTimeoutMs,
      compactPercent: config.compactPercent,
      sessionTokens: config.sessionTokens,
      mostAttemptsInVain: config.mostAttempts,
      limits: { maxTokens, toolTimeoutMs, toolOutputLimit, overloadRetries },
      approvals: {
        timeoutMs: config.approvalTimeoutMs,
        onTimeout: config.approvalDefault,
        unknownCalls: config.unknownCalls,
      },
      sessionQueue: config.sessionQueue,
      subagents: { fanout: config.subagentFanout },
      workerConcurrency: config.workerConcurrency,
      shellEnv: pickShellEnv(parts.environment),
    },
  };
  return { services, keeper };
}
