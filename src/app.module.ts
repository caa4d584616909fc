import { Module, type DynamicModule } from '@nestjs/common';
import { AgUiModule } from './wires/ag-ui/ag-ui.module.js';
import { AccessModule } from './access/access.module.js';
import { BoardAccess } from './access/board/board-access.js';
import type { AccessServices } from './access/origin/open-access.js';
import { AiSdkModule } from './wires/ai-sdk/ai-sdk.module.js';
import { UploadModule } from './attachments/upload/upload.module.js';
import { chatLimits } from './wires/named-agents/chat-limits.js';
import { expireSessions } from './wires/named-agents/expire-sessions.js';
import { HolodeckModule } from './wires/named-agents/holodeck.module.js';
import { TodoController } from './notices/todo.controller.js';
import { TodoStore } from './notices/todo-store.js';
import { BoardController } from './ops/board.controller.js';
import { BOARD_PATH, BoardService } from './ops/board-service.js';
import { HealthController } from './ops/health.controller.js';
import { commandHealth } from './ops/command-health.js';
import { HealthService } from './ops/health-service.js';
import { HousekeepingModule } from './ops/housekeeping.module.js';
import { QueueController } from './ops/queue.controller.js';
import { QueueService } from './ops/queue-service.js';
import type { BodyReader } from './http/body-reader.js';
import { optionRules } from './options/option-rules.js';
import { chooseStandard, type OptionSources } from './options/resolve-options.js';
import { SettingsController } from './options/settings/settings.controller.js';
import { SettingsService } from './options/settings/settings-service.js';
import { SettingsStore } from './options/settings/settings-store.js';
import { OracleModule } from './wires/oracle/oracle.module.js';
import { ModelController } from './provider/models/model.controller.js';
import { ModelListService } from './provider/models/model-list-service.js';
import { SessionController } from './session/session.controller.js';
import { SessionListController } from './session/session-list.controller.js';
import { sessionNotFound } from './session/session-errors.js';
import { defaultPersona, SessionService } from './session/session-service.js';
import { ToolListService } from './tools/tool-list-service.js';
import { ToolController } from './tools/tool.controller.js';
import { approvalNotFound } from './turn/approvals/approval-errors.js';
import { forgetArchives } from './turn/lifecycle/forget-archives.js';
import { turnNotFound } from './turn/state/turn-errors.js';
import { countActiveSessions } from './turn/state/turn-lookup.js';
import type { TurnServices } from './turn/state/turn-services.js';
import type { Chore } from './ops/housekeeper.js';
import { TurnApiModule, TurnWorkerModule } from './turn/turn.module.js';
import { runsTurns, servesApi } from './config/role.js';
import type { Runtime } from './backend/runtime.js';

/** Composes the modules over one runtime, for its role. */
@Module({})
export class AppModule {
  static compose(runtime: Runtime, access: AccessServices, bodies: BodyReader): DynamicModule {
    const { services, config } = runtime;
    const { db, queue, log, sessions, personas, provider, clock, attachments } = services;
    const { environmentModel, defaultLimits, ceiling } = services.settings;
    const { audit } = access;
    const modeCeiling = ceiling.mode;
    const tiers = { models: services.modelNames, environmentModel, defaultLimits, modeCeiling };
    const { projectRoots } = services;
    const boot = { sessions, personas, provider, clock, projectRoots, audit, ...tiers };
    const defaultModel = optionRules.model.read(config.model) ?? optionRules.model.fallback();
    const serverTiers = async (): Promise<OptionSources['defaults']> => {
      const agents = await personas.globalDefaults();
      return {
        ...(environmentModel === undefined ? {} : { environmentModel }),
        ...(agents?.model === undefined ? {} : { agentsModel: agents.model }),
        ...(agents?.agentConfig === undefined ? {} : { agentsConfig: agents.agentConfig }),
      };
    };
    const settings = new SettingsService({
      store: new SettingsStore(db, clock),
      defaultModel,
      audit,
      serverDefaults: async () => ({ limits: defaultLimits, options: await serverTiers() }),
    });
    const modelList = new ModelListService({
      catalogue: services.models,
      mode: runtime.mode,
      standardModel: async () => chooseStandard(await serverTiers()),
    });
    const sessionService = new SessionService({ ...boot, mcp: services.mcp }, services.tools);
    const turnApi = TurnApiModule.register(services, config.disconnectGraceMs);
    const dependencies = [
      { name: 'database', ping: runtime.backEnd.database.ping },
      { name: 'queue', ping: () => queue.ping() },
      { name: 'log', ping: () => log.ping() },
    ];
    const health = new HealthService({
      dependencies,
      clock,
      agentName: defaultPersona,
      checkProvider: async () => provider.assertReady(),
      checkAgent: async () => {
        provider.assertReady();
        await personas.assertValid();
        await personas.load(defaultPersona);
      },
      countActiveSessions: () => countActiveSessions(db),
      commands: commandHealth(runtime.shells),
    });
    return {
      module: AppModule,
      imports: [
        AccessModule.register({
          access,
          counter: runtime.backEnd.requests,
          readBody: (request) => bodies.read(request),
          notFound: { session: sessionNotFound, turn: turnNotFound, approval: approvalNotFound },
          servesApi: servesApi(config.role),
        }),
        ...(servesApi(config.role)
          ? [
              turnApi,
              UploadModule.register({ ...attachments, clock, idleMs: config.receiveTimeoutMs }),
              HolodeckModule.register({
                turnApi,
                services,
                audit,
                store: attachments.store,
                sessionMs: config.agentSessionMs,
                limits: chatLimits(config),
              }),
              AiSdkModule.register({
                turnApi,
                services,
                audit,
                store: attachments.store,
              }),
              AgUiModule.register({
                turnApi,
                services,
                audit,
                store: attachments.store,
              }),
              OracleModule.register({
                turnApi,
                sessions: sessionService,
                services,
                audit,
              }),
            ]
          : []),
        ...(runsTurns(config.role)
          ? [
              TurnWorkerModule.register(services, config.disconnectGraceMs),
              HousekeepingModule.register(
                [...listChores(services), forgetAudit(access, config.auditKeepDays)],
                services,
              ),
            ]
          : []),
      ],
      controllers: [...(servesApi(config.role) ? apiControllers : []), HealthController],
      providers: [
        { provide: SessionService, useValue: sessionService },
        { provide: SettingsService, useValue: settings },
        { provide: ModelListService, useValue: modelList },
        { provide: TodoStore, useValue: services.todos },
        {
          provide: ToolListService,
          useValue: new ToolListService(
            services.tools,
            services.mcp,
            services.settings.serverTools,
          ),
        },
        { provide: QueueService, useValue: openQueueService(runtime) },
        { provide: BoardService, useValue: openBoardService(runtime, access) },
        { provide: HealthService, useValue: health },
      ],
    };
  }
}

const apiControllers = [
  SessionController,
  SessionListController,
  SettingsController,
  ModelController,
  TodoController,
  ToolController,
  QueueController,
  BoardController,
];

function openQueueService({ backEnd, services, config }: Runtime): QueueService {
  const { db, queue, settings } = services;
  return new QueueService({
    db,
    queue,
    backEnd: config.redisUrl === undefined ? 'embedded' : 'distributed',
    workerConcurrency: settings.workerConcurrency,
    board: backEnd.board === undefined ? undefined : BOARD_PATH,
  });
}

function openBoardService({ backEnd, services }: Runtime, access: AccessServices): BoardService {
  const { clock } = services;
  const { board } = backEnd;
  if (board === undefined) return new BoardService(clock, undefined);
  const { sessions } = board;
  return new BoardService(clock, {
    ...board,
    access: new BoardAccess({ ...access, sessions, clock }),
  });
}

function forgetAudit({ audit }: AccessServices, keepDays: number): Chore {
  return { name: 'forget-audit', run: () => audit.forget(keepDays) };
}

/** What need not be kept any longer. */
function listChores({ db, clock, settings, attachments }: TurnServices): Chore[] {
  return [
    { name: 'forget-archives', run: () => forgetArchives(db, settings.archiveKeepDays) },
    { name: 'expire-sessions', run: () => expireSessions(db, new Date(clock.now())) },
    { name: 'collect-blobs', run: () => attachments.store.collect() },
  ];
}
