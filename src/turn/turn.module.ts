import { Inject, Module, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { AccessModule } from '../access/access.module.js';
import { AuditLog } from '../access/audit-log.js';
import { AgentsModule } from '../agents/agents.module.js';
import { PersonaLibrary } from '../agents/persona-library.js';
import { Attachments } from '../attachments/attachments.js';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { CONFIG, type Config } from '../config/config.js';
import { EVENT_LOG } from '../events/event-log.js';
import { ExtensionsModule } from '../extensions/extensions.module.js';
import { DecisionTrees } from '../governance/decision-tree/decision-trees.js';
import { SERVER_PERMISSIONS } from '../governance/permissions/permission-rules.js';
import { TodoStore } from '../notices/todo-store.js';
import { TRIGGERS } from '../notices/trigger.js';
import { OptionLoader } from '../options/option-loader.js';
import { OptionsModule } from '../options/options.module.js';
import { CLOCK } from '../platform/clock.js';
import { LOGGER } from '../platform/logger.js';
import { REDACT } from '../platform/redact.js';
import { ResourceProbe } from '../platform/resource-probe.js';
import { AnthropicProvider } from '../provider/anthropic/anthropic-provider.js';
import { ModelCatalogue } from '../provider/model-catalogue.js';
import { ModelResolver } from '../provider/model-resolver.js';
import { ProviderModule } from '../provider/provider.module.js';
import { ProjectRoots } from '../session/project-roots.js';
import { SessionModule } from '../session/session.module.js';
import { SessionStore } from '../session/session-store.js';
import { DATABASE } from '../storage/connection.js';
import { SHELL_ENV } from '../tools/calls/pick-shell-env.js';
import { MCP } from '../tools/open-mcp.js';
import { ToolRegistry } from '../tools/registry.js';
import { SHELLS } from '../tools/shells.js';
import { ApprovalController } from './approvals/approval.controller.js';
import { ApprovalService } from './approvals/approval-service.js';
import { ApprovalAnswerer } from './approvals/approval-answerer.js';
import { ApprovalStore } from './approvals/approval-store.js';
import { AttemptAnnouncer } from './attempt/attempt-announcer.js';
import { AttemptFiles } from './attempt/attempt-files.js';
import { AttemptOpener } from './attempt/attempt-opener.js';
import { CallDescriber } from './attempt/call-describer.js';
import { RunPorts } from './attempt/run-ports.js';
import { RunContextBuilder } from './attempt/run-context-builder.js';
import { ToolPreparer } from './attempt/tool-preparer.js';
import { WatchOpener } from './attempt/watch-opener.js';
import { UsageController } from './budgets/usage.controller.js';
import { UsageService } from './budgets/usage-service.js';
import { ConversationController } from './history/conversation.controller.js';
import { ConversationService } from './history/conversation-service.js';
import { AbandonedTurns } from './lifecycle/abandoned-turns.js';
import { LogCloser } from './lifecycle/log-closer.js';
import { Presence } from './lifecycle/presence.js';
import { QueuePositions } from './lifecycle/queue-positions.js';
import { SessionCloser } from './lifecycle/session-closer.js';
import { TurnCanceller } from './lifecycle/turn-canceller.js';
import { TurnPromoter } from './lifecycle/turn-promoter.js';
import { WaitingTurnEnder } from './lifecycle/waiting-turn-ender.js';
import { FileShowers } from './prompt/file-showers.js';
import { HistoryOpener } from './prompt/history-opener.js';
import { HistoryShortener } from './prompt/history-shortener.js';
import { TranscriptBuilder } from './prompt/transcript-builder.js';
import { TurnCompactor } from './prompt/turn-compactor.js';
import { SIGNAL_BUS } from './queue/signal-bus.js';
import { TurnClaims } from './queue/turn-claims.js';
import { TURN_QUEUE } from './queue/turn-queue.js';
import { WorkerWaker } from './queue/worker-waker.js';
import {
  settingsOf,
  TURN_SERVICES,
  type Conductors,
  type TurnServices,
} from './state/turn-services.js';
import { EndWatch } from './stream/end-watch.js';
import { TurnFollower } from './stream/turn-follower.js';
import { TurnLog } from './stream/turn-log.js';
import { TurnAdmitter } from './submit/turn-admitter.js';
import { TurnPreparer } from './submit/turn-preparer.js';
import { TurnSteerer } from './submit/turn-steerer.js';
import { TurnSubmitter } from './submit/turn-submitter.js';
import { TurnService } from './turn-service.js';
import { ChildRelay } from './subagents/child-relay.js';
import { Delegator } from './subagents/delegator.js';
import { SubagentCanceller } from './subagents/subagent-canceller.js';
import { SubagentStarter } from './subagents/subagent-starter.js';
import { AttemptEnder } from './worker/attempt-ender.js';
import { AttemptRunner } from './worker/attempt-runner.js';
import { StrandedTurns } from './worker/stranded-turns.js';
import { Sweeper } from './worker/sweeper.js';
import { TurnWorker } from './worker/turn-worker.js';

/** Tokens of the members of `TurnServices` that other modules provide. */
export const serviceTokens = {
  db: DATABASE,
  log: EVENT_LOG,
  queue: TURN_QUEUE,
  bus: SIGNAL_BUS,
  clock: CLOCK,
  logger: LOGGER,
  audit: AuditLog,
  claims: TurnClaims,
  ends: EndWatch,
  sessions: SessionStore,
  projectRoots: ProjectRoots,
  personas: PersonaLibrary,
  provider: AnthropicProvider,
  models: ModelCatalogue,
  modelNames: ModelResolver,
  options: OptionLoader,
  tools: ToolRegistry,
  mcp: MCP,
  shells: SHELLS,
  redact: REDACT,
  trees: DecisionTrees,
  triggers: TRIGGERS,
  todos: TodoStore,
  resources: ResourceProbe,
  attachments: Attachments,
};

/** The classes that conduct turns. */
export const turnProviders = [
  TurnSubmitter,
  TurnPreparer,
  TurnAdmitter,
  TurnSteerer,
  ApprovalStore,
  ApprovalAnswerer,
  WorkerWaker,
  QueuePositions,
  TurnPromoter,
  WaitingTurnEnder,
  TurnCanceller,
  SessionCloser,
  LogCloser,
  TurnFollower,
  TurnLog,
  AttemptOpener,
  AttemptAnnouncer,
  AttemptFiles,
  CallDescriber,
  RunPorts,
  RunContextBuilder,
  ToolPreparer,
  WatchOpener,
  FileShowers,
  HistoryOpener,
  HistoryShortener,
  TranscriptBuilder,
  TurnCompactor,
  Delegator,
  SubagentStarter,
  SubagentCanceller,
  ChildRelay,
];

/** The classes that run turns. */
export const workerProviders = [TurnWorker, AttemptRunner, AttemptEnder];

@Module({
  imports: [
    AccessModule,
    AgentsModule,
    AttachmentsModule,
    ExtensionsModule,
    OptionsModule,
    ProviderModule,
    SessionModule,
  ],
  providers: [
    TurnClaims,
    EndWatch,
    ...turnProviders,
    {
      provide: TURN_SERVICES,
      inject: [CONFIG, SERVER_PERMISSIONS, SHELL_ENV, ...Object.values(serviceTokens)],
      useFactory: (
        config: Config,
        serverPermissions: TurnServices['settings']['serverPermissions'],
        shellEnv: Record<string, string>,
        ...members: unknown[]
      ) =>
        ({
          ...Object.fromEntries(Object.keys(serviceTokens).map((name, i) => [name, members[i]])),
          settings: settingsOf(config, serverPermissions, shellEnv),
        }) as TurnServices,
    },
  ],
  exports: [TURN_SERVICES, TurnClaims, ...turnProviders],
})
export class TurnModule implements OnModuleInit {
  constructor(
    private readonly modules: ModuleRef,
    @Inject(TURN_SERVICES) private readonly services: TurnServices,
  ) {}

  onModuleInit(): void {
    Object.assign(this.services, membersFrom(this.modules));
  }
}

/** The members of `TurnServices` that are made from it, and so added to it after. */
export function membersFrom(modules: Pick<ModuleRef, 'get'>): Conductors {
  return {
    submitter: modules.get(TurnSubmitter),
    answerer: modules.get(ApprovalAnswerer),
    waker: modules.get(WorkerWaker),
    positions: modules.get(QueuePositions),
    promoter: modules.get(TurnPromoter),
    ender: modules.get(WaitingTurnEnder),
    canceller: modules.get(TurnCanceller),
    closer: modules.get(SessionCloser),
    logs: modules.get(LogCloser),
    follower: modules.get(TurnFollower),
  };
}

/** What clients do with turns, and their readers. */
@Module({
  imports: [AccessModule, SessionModule, TurnModule],
  controllers: [ConversationController, ApprovalController, UsageController],
  providers: [Presence, TurnService, ConversationService, ApprovalService, UsageService],
  exports: [TurnService, TurnModule],
})
export class TurnApiModule implements OnModuleDestroy {
  constructor(
    private readonly service: TurnService,
    private readonly presence: Presence,
  ) {}

  start(): Promise<void> {
    return this.presence.start();
  }

  /** The database did not answer a request. */
  noteAway(): void {
    this.presence.noteAway();
  }

  async onModuleDestroy(): Promise<void> {
    this.service.drain();
    await this.presence.close();
  }
}

/** Runs turns, and sweeps for those that were left behind. */
@Module({
  imports: [TurnModule],
  providers: [AbandonedTurns, ...workerProviders, StrandedTurns, Sweeper],
})
export class TurnWorkerModule implements OnModuleDestroy {
  constructor(
    private readonly worker: TurnWorker,
    private readonly sweeper: Sweeper,
  ) {}

  /** Starts to take turns; those that an earlier process left come first. */
  async start(): Promise<void> {
    await this.worker.start();
    await this.sweeper.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.sweeper.stop();
    await this.worker.stop();
  }
}
