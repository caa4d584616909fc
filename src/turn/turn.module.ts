import { Module, type DynamicModule, type OnModuleDestroy } from '@nestjs/common';
import { AbandonedTurns } from './abandoned-turns.js';
import { ConversationController } from './conversation.controller.js';
import { ConversationService } from './conversation-service.js';
import { Presence } from './presence.js';
import { Sweeper } from './sweeper.js';
import { TurnController } from './turn.controller.js';
import { TurnService } from './turn-service.js';
import type { TurnServices } from './turn-services.js';
import { TurnWorker } from './turn-worker.js';

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
      controllers: [TurnController, ConversationController],
      providers: [
        { provide: TurnService, useValue: new TurnService(services, presence) },
        { provide: ConversationService, useValue: new ConversationService(services) },
        { provide: Presence, useValue: presence },
      ],
      exports: [TurnService],
    };
  }

  start(): void {
    this.presence.start();
  }

  onModuleDestroy(): void {
    this.service.drain();
    this.presence.close();
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
    const abandoned = new AbandonedTurns({ ...services, graceMs });
    return {
      module: TurnWorkerModule,
      providers: [
        { provide: TurnWorker, useValue: new TurnWorker(services) },
        { provide: Sweeper, useValue: new Sweeper({ ...services, abandoned }) },
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
