import { Module, type DynamicModule, type OnModuleDestroy } from '@nestjs/common';
import { cancelTurn } from './cancel-turn.js';
import { Presence } from './presence.js';
import { Sweeper } from './sweeper.js';
import { TurnClaims } from './turn-claims.js';
import { TurnController } from './turn.controller.js';
import { TurnService } from './turn-service.js';
import type { TurnServices } from './turn-services.js';
import { TurnWorker } from './turn-worker.js';

/** The conductor: routes of turns, and the worker that runs them. */
@Module({})
export class TurnModule implements OnModuleDestroy {
  constructor(
    private readonly service: TurnService,
    private readonly worker: TurnWorker,
    private readonly sweeper: Sweeper,
  ) {}

  static register(services: TurnServices, disconnectGraceMs: number): DynamicModule {
    const { db, clock, logger, queue, settings } = services;
    const claims = new TurnClaims(db, settings.leaseMs);
    const presence = new Presence(clock, disconnectGraceMs, (turnId) => {
      cancelTurn(services, turnId, 'disconnect').catch((error: unknown) =>
        logger.error({ turnId, error }, 'an abandoned turn could not be cancelled'),
      );
    });
    const sweeper = new Sweeper({ claims, queue, clock, logger, everyMs: settings.leaseMs });
    return {
      module: TurnModule,
      controllers: [TurnController],
      providers: [
        { provide: TurnService, useValue: new TurnService(services, presence) },
        { provide: TurnWorker, useValue: new TurnWorker(services, claims) },
        { provide: Sweeper, useValue: sweeper },
        { provide: TurnClaims, useValue: claims },
      ],
    };
  }

  /** Starts to take turns; the ones an earlier process left come first. */
  async start(): Promise<void> {
    this.worker.start();
    await this.sweeper.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.service.drain();
    this.sweeper.stop();
    await this.worker.stop();
  }
}
