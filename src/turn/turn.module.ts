import { Module, type OnModuleDestroy } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { AgentsModule } from '../agents/agents.module.js';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { TurnCommits } from '../events/turn-commits.js';
import { ExtensionsModule } from '../extensions/extensions.module.js';
import { MemoryModule } from '../memory/memory.module.js';
import { OptionsModule } from '../options/options.module.js';
import { ProviderModule } from '../provider/provider.module.js';
import { SkillsModule } from '../skills/skills.module.js';
import { SessionModule } from '../session/session.module.js';
import { DATABASE, type Database } from '../storage/connection.js';
import { ApprovalController } from './approvals/approval.controller.js';
import { ApprovalService } from './approvals/approval-service.js';
import { ApprovalAnswerer } from './approvals/approval-answerer.js';
import { ApprovalStore } from './approvals/approval-store.js';
import { AttemptAnnouncer } from './attempt/attempt-announcer.js';
import { AttemptFiles } from './attempt/attempt-files.js';
import { AttemptLogs } from './attempt/attempt-logs.js';
import { AttemptOpener } from './attempt/attempt-opener.js';
import { CallDescriber } from './attempt/call-describer.js';
import { CallPolicy } from './attempt/call-policy.js';
import { RunPorts } from './attempt/run-ports.js';
import { RunContextBuilder } from './attempt/run-context-builder.js';
import { SkillChooser } from './attempt/skill-chooser.js';
import { ToolPreparer } from './attempt/tool-preparer.js';
import { ToolSurroundings } from './attempt/tool-surroundings.js';
import { WatchOpener } from './attempt/watch-opener.js';
import { FeedbackController } from './feedback/feedback.controller.js';
import { FeedbackStore } from './feedback/feedback-store.js';
import { ConversationController } from './history/conversation.controller.js';
import { ConversationService } from './history/conversation-service.js';
import { ForkController } from './branches/fork.controller.js';
import { SessionForker } from './branches/session-forker.js';
import { WrittenLookup } from './branches/written-lookup.js';
import { SessionCompactor } from './history/session-compactor.js';
import { SummarySources } from './history/summary-sources.js';
import { AbandonedTurns } from './lifecycle/abandoned-turns.js';
import { Presence } from './lifecycle/presence.js';
import { QueuePositions, WorkerWaker } from './queue/queue-positions.js';
import { SessionCloser } from './lifecycle/session-closer.js';
import { TurnCanceller } from './lifecycle/turn-canceller.js';
import { TurnPromoter } from './lifecycle/turn-promoter.js';
import { FileShowers } from './prompt/file-showers.js';
import { HistoryOpener } from './prompt/history-opener.js';
import { HistoryShortener } from './prompt/history-shortener.js';
import { TranscriptBuilder } from './prompt/transcript-builder.js';
import { TurnCompactor } from './prompt/turn-compactor.js';
import { TurnClaims } from './queue/turn-claims.js';
import { EndWatch } from './stream/end-watch.js';
import { TurnFollower } from './stream/turn-follower.js';
import { TurnLog } from './stream/turn-log.js';
import { TurnAdmitter } from './submit/turn-admitter.js';
import { TurnPreparer } from './submit/turn-preparer.js';
import { TurnSubmitter } from './submit/turn-submitter.js';
import { TurnService } from './turn-service.js';
import { ReplayController } from './replay/replay.controller.js';
import { ReplayService } from './replay/replay-service.js';
import { TurnReplayer } from './replay/turn-replayer.js';
import { Delegator } from './subagents/delegator.js';
import { SubagentStarter } from './subagents/subagent-starter.js';
import { AttemptRunner } from './worker/attempt-runner.js';
import { Sweeper } from './worker/sweeper.js';
import { TurnWorker } from './worker/turn-worker.js';

/** The classes that conduct turns. */
export const turnProviders = [
  TurnSubmitter,
  TurnPreparer,
  TurnAdmitter,
  ApprovalStore,
  ApprovalAnswerer,
  WorkerWaker,
  QueuePositions,
  TurnPromoter,
  TurnCanceller,
  SessionCloser,
  TurnFollower,
  TurnLog,
  ConversationService,
  SessionCompactor,
  SessionForker,
  WrittenLookup,
  SummarySources,
  {
    provide: TurnCommits,
    inject: [DATABASE],
    useFactory: (db: Database) => new TurnCommits(db),
  },
  AttemptLogs,
  AttemptOpener,
  AttemptAnnouncer,
  AttemptFiles,
  CallDescriber,
  CallPolicy,
  RunPorts,
  RunContextBuilder,
  SkillChooser,
  ToolPreparer,
  ToolSurroundings,
  WatchOpener,
  FileShowers,
  HistoryOpener,
  HistoryShortener,
  TranscriptBuilder,
  TurnCompactor,
  Delegator,
  SubagentStarter,
];

/** The classes that run turns. */
export const workerProviders = [TurnWorker, AttemptRunner];

@Module({
  imports: [
    AccessModule,
    AgentsModule,
    AttachmentsModule,
    ExtensionsModule,
    MemoryModule,
    OptionsModule,
    ProviderModule,
    SessionModule,
    SkillsModule,
  ],
  providers: [TurnClaims, EndWatch, ...turnProviders],
  exports: [TurnClaims, ...turnProviders],
})
export class TurnModule {}

/** Services of turns for clients, with their controllers and readers. */
@Module({
  imports: [AccessModule, AttachmentsModule, SessionModule, TurnModule],
  controllers: [
    FeedbackController,
    ConversationController,
    ForkController,
    ReplayController,
    ApprovalController,
  ],
  providers: [FeedbackStore, Presence, TurnService, TurnReplayer, ReplayService, ApprovalService],
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
  providers: [AbandonedTurns, ...workerProviders, Sweeper],
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
