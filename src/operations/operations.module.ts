import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { AgentsModule } from '../agents/agents.module.js';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { BlobStore } from '../attachments/blob-store.js';
import { CONFIG, type Config } from '../config/config.js';
import { EVENT_LOG, type EventLog } from '../events/event-log.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { ProviderModule } from '../provider/provider.module.js';
import { DATABASE, OPENED_DATABASE, type OpenedDatabase } from '../storage/connection.js';
import { ToolsModule } from '../tools/tools.module.js';
import { TURN_QUEUE, type TurnQueue } from '../turn/face.js';
import { listDependencies } from './dependencies.js';
import { DEPENDENCIES, HealthChecks, HealthService } from './health-service.js';
import { HealthController } from './health.controller.js';
import { CHORES, Housekeeper, listChores } from './housekeeper.js';
import { MetricsController } from './metrics.controller.js';
import { MetricsService } from './metrics-service.js';
import { QueueController } from './queue.controller.js';

/** Provides the health checks and their routes. */
@Module({
  imports: [AgentsModule, ProviderModule, ToolsModule],
  controllers: [HealthController],
  providers: [
    {
      provide: DEPENDENCIES,
      inject: [OPENED_DATABASE, TURN_QUEUE, EVENT_LOG, CONFIG, CLOCK],
      useFactory: (
        database: OpenedDatabase,
        queue: TurnQueue,
        log: EventLog,
        config: Config,
        clock: Clock,
      ) => listDependencies({ database, queue, log, config, clock }),
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
})
export class QueueViewModule {}

/** Provides the housekeeper, which removes expired data. */
@Module({
  imports: [AttachmentsModule],
  providers: [
    { provide: CHORES, inject: [CONFIG, DATABASE, CLOCK, BlobStore], useFactory: listChores },
    Housekeeper,
  ],
  exports: [Housekeeper],
})
export class HousekeepingModule {}
