import { Module, type DynamicModule, type OnModuleDestroy } from '@nestjs/common';
import { ApprovalController } from './approvals/approval.controller.js';
import { ApprovalService } from './approvals/approval-service.js';
import { ApprovalStore } from './approvals/approval-store.js';
import { UsageController } from './budgets/usage.controller.js';
import { UsageService } from './budgets/usage-service.js';
import { promoteNextTurn } from './lifecycle/promote-next-turn.js';
import { cancelTurn } from './lifecycle/cancel-turn.js';
import { endWaitingTurn } from './lifecycle/end-waiting-turn.js';
import { AbandonedTurns } from './lifecycle/abandoned-turns.js';
import { ConversationController } from './history/conversation.controller.js';
import { ConversationService } from './history/conversation-service.js';
import { Presence } from './lifecycle/presence.js';
import { Sweeper, type SweeperDeps } from './worker/sweeper.js';
import { TurnController } from './turn.controller.js';
import { TurnService } from './turn-service.js';
import type { TurnServices } from './state/turn-services.js';
import { TurnWorker } from './worker/turn-worker.js';

/** The routes of turns, and their readers. */
@Module({})
export class TurnApiModule implements OnModuleDestroy {
  constructor(
    private readonly service: TurnService,
    private readonly presence: Presence,
  ) {}

  static register(services: TurnServices, graceMs: number): DynamicModule {
    const presence = new Presence({ ...services, graceMs });
    return {
      module: TurnApiModule,
      controllers: [TurnController, ConversationController, ApprovalController, UsageController],
      providers: [
        { provide: TurnService, useValue: new TurnService(services, presence) },
        { provide: ConversationService, useValue: new ConversationService(services) },
        { provide: ApprovalService, useValue: new ApprovalService(services) },
        { provide: UsageService, useValue: new UsageService(services) },
        { provide: Presence, useValue: presence },
      ],
      exports: [TurnService],
    };
  }

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

/** Runs turns, and looks after those that nobody looks after. */
@Module({})
export class TurnWorkerModule implements OnModuleDestroy {
  constructor(
    private readonly worker: TurnWorker,
    private readonly sweeper: Sweeper,
  ) {}

  static register(services: TurnServices, graceMs: number): DynamicModule {
    return {
      module: TurnWorkerModule,
      providers: [
        { provide: TurnWorker, useValue: new TurnWorker(services) },
        { provide: Sweeper, useValue: new Sweeper(sweeperDeps(services, graceMs)) },
      ],
    };
  }

  /** Starts to take turns; the ones an earlier process left come first. */
  async start(): Promise<void> {
    await this.worker.start();
    await this.sweeper.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.sweeper.stop();
    await this.worker.stop();
  }
}

function sweeperDeps(services: TurnServices, graceMs: number): SweeperDeps {
  return {
    ...services,
    approvals: new ApprovalStore(services.db),
    abandoned: new AbandonedTurns({ ...services, graceMs }),
    letNextGo: (sessionId) => promoteNextTurn(services, sessionId),
    endOrphan: async (turnId) => void (await cancelTurn(services, turnId, 'parent-ended')),
    endUnwanted: async (turnId, reason) =>
      void (await endWaitingTurn(services, turnId, { reason, which: 'unstarted' })),
  };
}
