import { Module, type OnModuleDestroy } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { AgentsModule } from '../agents/agents.module.js';
import { PersonaLibrary } from '../agents/persona-library.js';
import { DEFAULT_PERSONA } from '../agents/persona-name.js';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { BlobStore } from '../attachments/blob-store.js';
import { CONFIG, type Config } from '../config/config.js';
import { EVENT_LOG, type EventLog } from '../events/event-log.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { LOGGER, type Logger } from '../platform/logger.js';
import { AnthropicProvider } from '../provider/anthropic/anthropic-provider.js';
import { ProviderModule } from '../provider/provider.module.js';
import {
  DATABASE,
  OPENED_DATABASE,
  type Database,
  type OpenedDatabase,
} from '../storage/connection.js';
import { SHELLS, type Shells } from '../tools/shells.js';
import { TOOL_HOOK, type ToolHook } from '../tools/tool-hook.js';
import { ToolsModule } from '../tools/tools.module.js';
import { TURN_QUEUE, type TurnQueue } from '../turn/queue/turn-queue.js';
import { countActiveSessions } from '../turn/state/turn-row.js';
import { findLateSeconds } from '../schedules/slot-store.js';
import { commandHealth, HealthService, hookHealth } from './health-service.js';
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
      provide: HealthService,
      inject: [
        OPENED_DATABASE,
        TURN_QUEUE,
        EVENT_LOG,
        CLOCK,
        AnthropicProvider,
        PersonaLibrary,
        SHELLS,
        TOOL_HOOK,
        CONFIG,
      ],
      useFactory: (
        { db, ping }: OpenedDatabase,
        queue: TurnQueue,
        log: EventLog,
        clock: Clock,
        provider: AnthropicProvider,
        personas: PersonaLibrary,
        shells: Shells,
        ...[toolHook, { databaseUrl }]: [ToolHook | null, Config]
      ) =>
        new HealthService({
          dependencies: [
            {
              name: 'database',
              label: databaseUrl === undefined ? 'The embedded database' : 'PostgreSQL',
              ping,
            },
            { name: 'queue', label: redisLabel(databaseUrl), ping: () => queue.ping() },
            { name: 'log', label: redisLabel(databaseUrl), ping: () => log.ping() },
          ],
          clock,
          agentName: DEFAULT_PERSONA,
          checkProvider: async () => provider.assertReady(),
          checkAgent: async () => {
            provider.assertReady();
            await personas.loadForTurn(DEFAULT_PERSONA);
          },
          countActiveSessions: () => countActiveSessions(db),
          findLateSeconds: () => findLateSeconds(db),
          toolHook: () => (toolHook === null ? undefined : hookHealth(toolHook.health)),
          commands: commandHealth(shells),
        }),
    },
  ],
})
export class HealthModule {}

/** What has the queue and the log: one process has them in its memory. */
function redisLabel(databaseUrl: string | undefined): string {
  return databaseUrl === undefined ? 'The memory of this process' : 'Redis';
}

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
