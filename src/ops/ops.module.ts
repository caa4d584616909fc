import { Module, type OnModuleDestroy } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { AgentsModule } from '../agents/agents.module.js';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { BlobStore } from '../attachments/blob-store.js';
import { CONFIG, type Config } from '../config/config.js';
import { EVENT_LOG } from '../events/event-log.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { LOGGER, type Logger } from '../platform/logger.js';
import { ProviderModule } from '../provider/provider.module.js';
import { DATABASE, OPENED_DATABASE, type Database } from '../storage/connection.js';
import { ToolsModule } from '../tools/tools.module.js';
import { TURN_QUEUE } from '../turn/queue/turn-queue.js';
import { DEPENDENCIES, HealthChecks, HealthService, listDependencies } from './health-service.js';
import { HealthController } from './health.controller.js';
import { Housekeeper, listChores } from './housekeeper.js';
import { MetricsController } from './metrics.controller.js';
import { MetricsService } from './metrics-service.js';
import { QueueController } from './queue.controller.js';
import { QueueService } from './queue-service.js';

/** Provides the health checks and their routes. */
@Module({
  imports: [AgentsModule, ProviderModule, ToolsModule],
  controllers: [HealthController],
  providers: [
    {
      provide: DEPENDENCIES,
      inject: [OPENED_DATABASE, TURN_QUEUE, EVENT_LOG, CONFIG],
      useFactory: listDependencies,
    },
    HealthChecks,
    HealthService,
  ],
})
export class HealthModule {}

/** Provides the metrics, in every role. */
@Module({ controllers: [MetricsController], providers: [MetricsService] })
export class MetricsViewModule {}

/** Provides the operator's view of the queue. */
@Module({
  imports: [AccessModule],
  controllers: [QueueController],
  providers: [QueueService],
})
export class QueueViewModule {}

/** Provides the housekeeper, which removes expired data. */
@Module({
  imports: [AttachmentsModule],
  providers: [
    {
      provide: Housekeeper,
      inject: [DATABASE, CONFIG, CLOCK, LOGGER, BlobStore],
      useFactory: (db: Database, config: Config, clock: Clock, logger: Logger, blobs: BlobStore) =>
        new Housekeeper(listChores(config, { db, clock, blobs }), { clock, logger }),
    },
  ],
  exports: [Housekeeper],
})
export class HousekeepingModule implements OnModuleDestroy {
  constructor(private readonly keeper: Housekeeper) {}

  onModuleDestroy(): Promise<void> {
    return this.keeper.stop();
  }
}
